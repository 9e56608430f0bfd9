// What a page gains when scripts run: arrow keys for a rotary knob, one tap for one wish. Everything works without; live.js shows what happens.
"use strict";
(() => {
  const body = document.body;
  const targets = () => [...document.querySelectorAll("a[href], button, input:not([type=hidden])")].filter((e) => e.offsetParent && !e.classList.contains("skip"));

  // A knob turns into arrow keys, pressing it into Enter, its back key into Escape.
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input") && event.key.match(/Left|Right/);
    if (event.key === "Escape") {
      const back = document.querySelector(".back, .solo .pair a.button");
      if (back) back.click(); else if (location.pathname !== "/") location.assign("/");
    } else if (event.key in steps && !typing && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const all = targets();
      const here = all.indexOf(document.activeElement);
      const first = document.querySelector("main a[href], main button");
      const next = here < 0 ? first || all[0] : all[(here + steps[event.key] + all.length) % all.length];
      if (next) { next.focus(); event.preventDefault(); }
    }
  });

  // A second tap on the same button is no second wish.
  document.addEventListener("submit", (event) => {
    if (event.target.dataset.sent) event.preventDefault();
    event.target.dataset.sent = "yes";
  });
  // A field that cannot be sent as it is says so in its label, in the page's words; the browser's own bubble is in its own language.
  document.addEventListener("invalid", (event) => {
    const field = event.target, label = field.closest("label"), keys = document.querySelector(".keys")?.dataset;
    if (!label || !keys) return;
    event.preventDefault();
    field.setAttribute("aria-invalid", "true");
    label.firstChild.data = keys[keys.kind === "pin" ? "digits" : "missing"];
    if (!document.activeElement.matches("[aria-invalid]")) field.focus();
  }, true);
  document.addEventListener("input", (event) => event.target.removeAttribute("aria-invalid"));
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // A page that answers a form is left like any other: coming back to it asks for it, and sends nothing again.
  history.replaceState(null, "", location.href);

  const leaving = document.querySelector(".solo[data-left]");
  if (leaving) leaving.classList.add("counting");
  const next = () => fetch("/static/look.css", { method: "HEAD", cache: "no-store", redirect: "manual" }).then(() => location.replace(body.dataset.next), () => {});
  if (body.dataset.next) setTimeout(next, Number(body.dataset.after) * 1000); // not into nothing: live.js covers the page then
  const banner = document.querySelector(".banner[data-left]");
  if (banner) setTimeout(() => banner.remove(), Number(banner.dataset.left) * 1000);
})();
