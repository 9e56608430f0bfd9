// Keys on the panel for whoever has no keyboard at hand: letters in the English or the German order, accents, signs, and a pad for a PIN.
// They type into the field that was used last. A real keyboard works beside them; a knob goes through them column by column.
"use strict";
(() => {
  const board = document.querySelector(".keys");
  const fields = [...document.querySelectorAll("main input:not([type=hidden])")];
  if (!board || !fields.length) return;
  const said = board.dataset;
  const letters = { en: ["qwertyuiop", "asdfghjkl'", "zxcvbnm-"], de: ["qwertzuiopü", "asdfghjklöä", "yxcvbnmß-"] };
  const layers = { signs: ["1234567890", "@#€$%&*()=", ".,;:!?+/\"'"], accents: ["àáâãäåæçèé", "êëìíîïñòóô", "œöøùúûüÿßš"] };
  const icons = { erase: "erase", shift: "shift", left: "back", right: "next", done: "check" };
  const shown = { signs: "12?", accents: "éñ", letters: "abc" };
  let order = letters[said.order] ? said.order : "en";
  let layer = "letters";
  let shift = false;
  let field = fields.find((one) => one.autofocus) || fields[0];

  for (const one of fields) {
    one.inputMode = "none"; // the panel's own keys would cover ours
    one.addEventListener("focus", () => { field = one; });
  }
  if (!field.autofocus && !fields.includes(document.activeElement)) field.focus(); // the browser focuses the other itself
  field.setSelectionRange(field.value.length, field.value.length);
  shift = field.autocapitalize === "words" && !field.value;

  function rows() {
    if (said.kind === "pin") return [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"], ["erase", "0", "done"]];
    const [first, second, third] = (layer === "letters" ? letters[order] : layers[layer]).map((row) => [...(shift ? row.replace(/ß/g, "ẞ").toUpperCase() : row)]);
    const others = ["signs", "accents", "letters"].filter((one) => one !== layer);
    return [first, second, [...(layer === "letters" ? ["shift"] : []), ...third, "erase"], [...others, "order", "space", "left", "right", "done"]];
  }
  function key(name) {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", tabIndex: -1, className: name.length > 1 ? `key ${name}` : "key" });
    made.dataset.key = name;
    if (icons[name]) made.append(document.querySelector(`#glyph-${icons[name]}`).content.cloneNode(true));
    else made.textContent = name === "order" ? (order === "en" ? "DE" : "EN") : name === "space" ? "" : shown[name] || name;
    const label = name === "order" ? said[order === "en" ? "german" : "english"] : said[name];
    if (name.length > 1) made.setAttribute("aria-label", made.textContent.trim() ? `${made.textContent} ${label}` : label); // what is seen is said, too
    if (name === "shift") made.setAttribute("aria-pressed", String(shift));
    return made;
  }
  function draw(held) {
    board.replaceChildren(...rows().map((row) => {
      const line = document.createElement("div");
      line.append(...row.map(key));
      return line;
    }));
    if (held) (board.querySelector(`[data-key="${held}"]`) || board.querySelector(".key")).focus();
  }

  function type(text, from = field.selectionStart, to = field.selectionEnd) {
    if (field.maxLength >= 0 && field.value.length - (to - from) + text.length > field.maxLength) return;
    field.setRangeText(text, from, to, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const acts = {
    erase() { const at = field.selectionStart; type("", at === field.selectionEnd ? Math.max(0, at - 1) : at); },
    left() { const at = Math.max(0, field.selectionStart - 1); field.setSelectionRange(at, at); },
    right() { const at = Math.min(field.value.length, field.selectionEnd + 1); field.setSelectionRange(at, at); },
    done() { // on to the next empty field, or off it goes
      const next = fields.find((one) => one.form === field.form && one !== field && !one.value);
      if (next) next.focus(); else field.form.requestSubmit(field.form.querySelector("button:not([type=button])"));
    },
    space() { type(" "); },
    order() { order = order === "en" ? "de" : "en"; layer = "letters"; },
    shift() { shift = !shift; },
    signs() { layer = "signs"; shift = false; },
    accents() { layer = "accents"; shift = false; },
    letters() { layer = "letters"; },
  };
  board.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps its focus and its caret
  board.addEventListener("click", (event) => {
    const pressed = event.target.closest(".key")?.dataset.key;
    if (!pressed) return;
    const turned = board.contains(document.activeElement); // by a knob: it stays on the keys
    const before = `${order} ${layer} ${shift}`;
    if (acts[pressed]) acts[pressed](); else { type(pressed); shift = false; }
    if (`${order} ${layer} ${shift}` !== before) draw(turned ? (acts[pressed] ? pressed : pressed.toLowerCase()) : "");
  });

  // A knob or arrow keys: left and right along a row, down and up a column and then the next one; past the ends to what stands beside.
  let column = 0;
  const spread = (at, from, to) => Math.floor((at * to) / from);
  board.addEventListener("keydown", (event) => {
    const grid = [...board.children].map((line) => [...line.children]);
    const y = grid.findIndex((line) => line.includes(document.activeElement));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (y < 0 || !step) return;
    const wide = grid[0].length;
    const x = grid[y].indexOf(document.activeElement);
    let next;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const all = grid.flat();
      next = all[all.indexOf(document.activeElement) + step];
    } else {
      if (spread(column, wide, grid[y].length) !== x) column = Math.ceil((x * wide) / grid[y].length);
      let row = y + step;
      let aside = column;
      if (row < 0 || row >= grid.length) { row = (row + grid.length) % grid.length; aside += step; }
      next = aside >= 0 && aside < wide ? grid[row][spread(aside, wide, grid[row].length)] : undefined;
      if (next) column = aside;
    }
    if (next) { next.focus(); event.preventDefault(); event.stopPropagation(); }
    else grid.flat().at(step > 0 ? -1 : 0).focus(); // and screen.js goes on from there
  });
  draw();
})();
