// The channel of a page that is open: what happens appears, the lock without waiting, and it comes back by itself when it was cut.
"use strict";
(() => {
  const body = document.body;
  if (!body.dataset.live || !window.EventSource) return;
  const SILENT_MS = 6000, CUT_MS = 1000, TRY_MS = 1000, AGAIN_MS = 20000;
  let heard = Date.now(), cut = 0, cover = null, covered = 0, asking = false, left = false;
  const car = document.getElementById("car");
  const view = document.getElementById("assistant");
  const home = document.getElementById("happened");
  const leaving = document.querySelector(".solo[data-left]");
  const seen = `/live?seen=${body.dataset.mark}`;
  const address = car ? "/dev/car/live" : view ? `${seen}&view=assistant` : seen;
  let source = null;
  const targets = () => [...document.querySelectorAll("a[href], button, input:not([type=hidden])")].filter((e) => e.offsetParent && !e.classList.contains("skip"));
  const sent = () => document.querySelector("form[data-sent]");
  const read = (event) => JSON.parse(event.data);

  // A page goes elsewhere only where somebody answers: one that is left for an assistant that is just ending would be the browser's own
  // page of errors, which never comes back.
  const asks = async () => {
    const answer = await fetch("/static/look.css", { method: "HEAD", cache: "no-store", redirect: "manual" });
    if (answer.status === 503) throw new Error("the assistant ends");
  };
  const go = (to = "") => asks().then(() => { if (to) location.replace(to); else location.reload(); }, hide);
  function hide() {
    if (cover) return;
    cover = Object.assign(document.createElement("div"), { className: "lost", textContent: body.dataset.lost });
    covered = Date.now();
    cover.setAttribute("role", "alert");
    body.append(cover);
  }

  const empty = () => document.querySelector("main").replaceChildren();

  // A part of the page anew, what had the focus keeping it. Not under a finger: its tap would be lost.
  let pressed = false, later = null;
  const put = (part, text) => {
    if (!part || !text) return;
    if (pressed && part === view) { later = text; return; }
    const held = part.contains(document.activeElement) ? targets().indexOf(document.activeElement) : -1;
    const map = part.querySelector(".map");
    part.innerHTML = text;
    const same = part.querySelector(".map");
    if (map && same && map.outerHTML === same.outerHTML) same.replaceWith(map); // its pictures are there already
    part.dispatchEvent(new CustomEvent("live", { bubbles: true }));
    if (held >= 0) targets()[held]?.focus();
  };
  const release = () => { pressed = false; if (later !== null) { const text = later; later = null; setTimeout(() => put(view, text)); } };
  if (view) {
    view.addEventListener("pointerdown", () => { pressed = true; setTimeout(release, 700); });
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => setTimeout(release));
  }

  // Whatever comes shows that the page counts. One that was covered is loaded anew: what stands under the cover is of before.
  const alive = () => { heard = Date.now(); cut = 0; if (cover) go(); };
  const told = {
    motion: (event) => { if (read(event) !== body.dataset.live) go("/"); },
    beat: () => {},
    look: (event) => { document.documentElement.dataset.look = read(event); },
    car: (event) => { if (car) car.innerHTML = read(event); },
    assistant: (event) => put(view, read(event)),
    words: (event) => { const words = view?.querySelector("[data-words] bdi"); if (words) words.textContent = read(event); },
    level: (event) => view?.style.setProperty("--level", read(event) / 12),
    happened: (event) => put(home, read(event)),
    // Another driver sees nothing of what was open, not even while the next page loads. What was forgotten goes at once, too, from every
    // page but the one that has just asked for it, which goes on by itself; a page that is typed on stays unless what it shows may be gone.
    driver: () => {
      if (left) return; // handing over changes the driver more than once, and the answer to it is shown
      left = true;
      const goes = sent();
      empty();
      if (goes) setTimeout(go, 3000, "/"); else go("/");
    },
    forgotten: () => {
      later = null;
      view?.querySelectorAll(".turn bdi, .learned .text, .answers").forEach((told) => told.replaceChildren()); // what still holds follows
      if (view || sent() || leaving) return;
      if (home) home.querySelector(".latest")?.replaceChildren(); else { empty(); go(); }
    },
    stored: () => {
      if (!home && !view && !leaving && !sent() && !document.querySelector("input:not([type=hidden])")) go();
    },
  };
  const open = () => {
    source = new EventSource(address);
    for (const name of Object.keys(told)) source.addEventListener(name, (event) => { alive(); told[name](event); });
    source.addEventListener("end", () => { source.close(); hide(); }); // let in no longer, or the assistant ends: asked below
    source.addEventListener("error", () => { cut = cut || Date.now(); });
  };
  open();
  window.addEventListener("pagehide", () => source.close());

  // Cut, or silent for too long: nothing is shown until the assistant is back. Where it has begun anew meanwhile this page is none of
  // its pages, and is loaded anew; a kiosk brings the new address.
  const probe = async () => {
    if (asking) return;
    asking = true;
    try {
      await asks();
      location.reload();
    } catch { /* not there yet */ } finally { asking = false; }
  };
  setInterval(() => {
    const now = Date.now();
    if (cover) {
      if (source.readyState === EventSource.CLOSED) probe();
      if (now - covered > AGAIN_MS && !cover.children.length) // a page cannot find the assistant at another port: a person, or a kiosk, can
        cover.append(Object.assign(document.createElement("p"), { textContent: body.dataset.again }));
      return;
    }
    if (now - heard < SILENT_MS && !(cut && now - cut > CUT_MS)) return;
    hide();
  }, TRY_MS / 2);
})();
