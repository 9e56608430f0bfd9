// The assistant's view: a tap is sent without leaving the page; what comes of it comes over the channel.
"use strict";
(() => {
  const view = document.getElementById("assistant");
  if (!view || !window.fetch) return;
  const here = /^\/(talk|answer|again|car|confirm|stop)(\/|$)/;
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const path = new URL(form.action).pathname;
    if (!view.contains(form) || !here.test(path)) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = "yes";
    form.querySelector("button")?.classList.add("sending");
    try {
      const answer = await fetch(path, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
      if (answer.type !== "opaqueredirect" && answer.status !== 409) location.replace("/");
    } catch { /* the channel tells that nothing is there */ }
    setTimeout(() => { delete form.dataset.sending; form.querySelector("button")?.classList.remove("sending"); }, 1500);
  }, true);
})();
