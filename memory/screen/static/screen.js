// What a page gains when scripts run: live sections, the lock without waiting, arrow keys for a rotary knob. Everything works without.
"use strict";
(() => {
  const body = document.body;
  const targets = () => [...document.querySelectorAll("a[href], button, input:not([type=hidden])")].filter((e) => e.offsetParent && !e.classList.contains("skip"));

  // A knob turns into arrow keys, pressing it into Enter, its back key into Escape.
  const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input") && event.key.match(/Left|Right/);
    if (event.key === "Escape") {
      const back = document.querySelector(".back");
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
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  const leaving = document.querySelector(".solo[data-left]");
  if (leaving) leaving.classList.add("counting");
  if (body.dataset.next) setTimeout(() => location.replace(body.dataset.next), Number(body.dataset.after) * 1000);
  const banner = document.querySelector(".banner[data-left]");
  if (banner) setTimeout(() => banner.remove(), Number(banner.dataset.left) * 1000);

  if (!body.dataset.live || !window.EventSource) return;
  let heard = Date.now();
  let cover = null;
  const uncover = () => { heard = Date.now(); if (cover) location.reload(); };
  const car = document.getElementById("car");
  const source = new EventSource(car ? "/dev/car/live" : `/live?seen=${body.dataset.mark}`);
  window.addEventListener("pagehide", () => source.close());
  for (const name of ["motion", "happened", "beat", "car", "driver", "forgotten", "stored"]) source.addEventListener(name, uncover);
  // Another driver sees nothing of what was open, not even while the next page loads. What was forgotten goes from every page but the
  // one that has just asked for it, which goes on by itself; a page that is typed on stays unless what it shows may be gone.
  const home = document.getElementById("happened");
  const asking = () => document.querySelector("form[data-sent]");
  source.addEventListener("driver", () => {
    const goes = asking();
    document.querySelector("main").replaceChildren();
    setTimeout(() => location.replace("/"), goes ? 3000 : 0);
  });
  source.addEventListener("forgotten", () => {
    if (asking() || leaving) return;
    if (home) home.querySelector(".latest")?.replaceChildren(); else location.reload();
  });
  source.addEventListener("stored", () => {
    if (!home && !leaving && !asking() && !document.querySelector("input:not([type=hidden])")) location.reload();
  });
  source.addEventListener("look", (event) => { document.documentElement.dataset.look = JSON.parse(event.data); });
  source.addEventListener("motion", (event) => { if (JSON.parse(event.data) !== body.dataset.live) location.replace("/"); });
  source.addEventListener("car", (event) => { car.innerHTML = JSON.parse(event.data); });
  source.addEventListener("end", () => location.reload());
  source.addEventListener("happened", (event) => {
    const section = document.getElementById("happened");
    const text = JSON.parse(event.data);
    if (!section || !text) return;
    const held = targets().indexOf(document.activeElement);
    section.innerHTML = text;
    section.dispatchEvent(new CustomEvent("live", { bubbles: true }));
    if (held >= 0) targets()[held]?.focus();
  });
  setInterval(() => {
    if (Date.now() - heard < 6000 || cover) return;
    cover = Object.assign(document.createElement("div"), { className: "lost", textContent: body.dataset.lost });
    cover.setAttribute("role", "alert");
    body.append(cover);
  }, 1000);
})();
