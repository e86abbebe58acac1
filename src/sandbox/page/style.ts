/** The look of the inbox. Sizes are in rem, so that enlarged text enlarges everything. */
export const inboxStyle = `:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --paper: #fff; --ink: #16181d; --faint: #565d6b; --line: #dfe2e8; --edge: #79808f;
  --accent: #0b5c52; --on-accent: #fff; --tint: #dff3ef; --mark: #fff1b8;
  --good: #17613a; --good-ground: #e0f4e7; --bad: #a3231c; --bad-ground: #fdebe9; --busy: #7a4b00; --busy-ground: #fdf0d5;
  --shadow: 0 1px 2px rgb(20 24 32 / 0.07), 0 4px 16px rgb(20 24 32 / 0.05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1115; --paper: #191c22; --ink: #eceef2; --faint: #a5acba; --line: #2c313b; --edge: #7d8594;
    --accent: #6fd6c5; --on-accent: #06251f; --tint: #12332e; --mark: #57460a;
    --good: #8be0ac; --good-ground: #14321f; --bad: #ffb3ac; --bad-ground: #421a17; --busy: #ffd48a; --busy-ground: #3d2c0b;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 0.9375rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, dl, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -0.01em; }
h2 { font-size: 1rem; line-height: 1.4; }
h3 { font-size: 0.9375rem; font-weight: 600; }
a { color: var(--accent); }
code, pre, .code { font-family: ui-monospace, 'Cascadia Code', 'DejaVu Sans Mono', monospace; }
.quiet { color: var(--faint); font-weight: 400; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

.top {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem 2rem; justify-content: space-between;
  max-width: 76rem; margin: 0 auto; padding: 1.25rem 1.25rem 0.5rem;
}
.title { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; }
.title h1 { display: flex; align-items: center; gap: 0.625rem; }
.banner { padding: 0.125rem 0.75rem; background: var(--busy-ground); color: var(--busy); border-radius: 1rem; font-size: 0.875rem; font-weight: 600; }
.filter { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.notice { flex: 1 0 100%; padding: 0.5rem 0.75rem; background: var(--busy-ground); color: var(--busy); border-radius: 0.5rem; }
.notice.bad { background: var(--bad-ground); color: var(--bad); font-weight: 600; }
main, footer { max-width: 76rem; margin: 0 auto; padding: 0.75rem 1.25rem; }
footer { padding-bottom: 3rem; }
.columns { display: grid; gap: 1.25rem; align-items: start; }
@media (min-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr) 22rem; } }
.columns > * { min-width: 0; }

label { font-weight: 600; }
input, select, button { font: inherit; color: inherit; }
input, select {
  min-height: 2.25rem; min-width: 0; max-width: 100%; padding: 0.25rem 0.625rem;
  background: var(--paper); border: 1px solid var(--edge); border-radius: 0.5rem;
}
.filter input { width: 17rem; }
button {
  min-height: 2.25rem; padding: 0.25rem 0.875rem; border: 1px solid var(--edge); border-radius: 0.5rem;
  background: var(--paper); font-weight: 600; cursor: pointer;
}
button:hover { border-color: var(--accent); color: var(--accent); }
button.plain { min-height: 1.75rem; padding: 0.125rem 0.375rem; border-color: transparent; background: none; color: var(--faint); text-decoration: underline; font-weight: 400; }
button.plain:hover { color: var(--bad); }
button.copy { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.copy:hover { filter: brightness(0.92); }
button.copy.small { min-height: 1.75rem; padding: 0 0.5rem; border-color: var(--line); background: none; color: var(--accent); font-size: 0.8125rem; }
.copy { display: none; }
.scripted .copy { display: inline-block; }
.scripted .without-script { display: none; }

.list-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem; min-height: 2.25rem; margin-bottom: 0.75rem; }
.list-tools { display: flex; align-items: center; gap: 0.5rem 1rem; }
.pager { display: flex; justify-content: center; gap: 1rem; padding: 1rem 0; }
.cards { display: grid; gap: 1rem; }
.cards.lines { gap: 0.25rem; }
.card.line { display: flex; flex-wrap: wrap; align-items: center; gap: 0 0.5rem; padding: 0.25rem 0.75rem; border-radius: 0.5rem; box-shadow: none; font-variant-numeric: tabular-nums; }
.excerpt { flex: 1 1 2.5rem; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.card, .panel, .empty { background: var(--paper); border: 1px solid var(--line); border-radius: 0.875rem; box-shadow: var(--shadow); }
.card { padding: 1rem 1.125rem 0.625rem; }
.card-head, .card-foot { display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: 0.375rem 0.75rem; }
.card-body { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; margin: 0.75rem 0; }
.card-foot { padding-top: 0.5rem; border-top: 1px solid var(--line); }
.card-foot details { flex: 1 1 12rem; min-width: 0; }
.empty { padding: 3rem 1.5rem; text-align: center; }
.arrived { animation: arrive 1.2s ease-out; }
@keyframes arrive { from { border-color: var(--accent); box-shadow: 0 0 0 3px var(--tint); } }
@media (prefers-reduced-motion: reduce) { .arrived { animation: none; } }

.chip { flex: none; padding: 0.0625rem 0.5rem; border-radius: 1rem; background: var(--ground); font-size: 0.8125rem; font-weight: 600; white-space: nowrap; }
.chip.good { background: var(--good-ground); color: var(--good); }
.chip.bad { background: var(--bad-ground); color: var(--bad); }
.chip.busy { background: var(--busy-ground); color: var(--busy); }

.phone {
  flex: 1 1 15rem; align-self: start; max-width: 20rem; min-height: 8.5rem; padding: 0.5rem 0.75rem 0.875rem; background: var(--ground);
  border: 2px solid var(--edge); border-radius: 1.375rem;
}
.phone-bar { display: flex; justify-content: space-between; padding: 0 0.375rem; color: var(--faint); font-size: 0.75rem; }
.phone-from { margin: 0.5rem 0.375rem 0.25rem; font-weight: 600; }
.bubble { padding: 0.5rem 0.75rem; background: var(--tint); border-radius: 1rem 1rem 1rem 0.25rem; white-space: pre-wrap; }
.call .bubble { background: none; padding: 0 0.375rem; font-style: italic; }
mark { padding: 0 0.1875rem; background: var(--mark); color: inherit; border-radius: 0.25rem; font-weight: 700; }

.facts { flex: 1 1 12rem; min-width: 0; display: grid; gap: 0.625rem; align-content: start; }
.code-row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; }
.code { font-size: 1.75rem; line-height: 1.2; font-weight: 700; letter-spacing: 0.08em; user-select: all; }
.dead { color: var(--faint); text-decoration: line-through; }
.chip.dead { text-decoration: none; }
.pairs, .fields { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.125rem 0.75rem; }
dt { color: var(--faint); }
dd { margin: 0; }
.pairs.wide { grid-template-columns: minmax(0, 1fr); gap: 0; }
.pairs.wide dt, .pairs.wide code { font-size: 0.8125rem; }
.pairs.wide dd + dt { margin-top: 0.375rem; }
.pairs.wide dd { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 0.5rem; }
.steps { font-size: 0.875rem; font-variant-numeric: tabular-nums; }

.aside { display: grid; gap: 1rem; }
.panel { display: grid; gap: 0.625rem; padding: 0.875rem 1.125rem 1rem; }
.figure { font-size: 1.375rem; font-variant-numeric: tabular-nums; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.row input { width: 6.5rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.375rem; }
.buttons button { min-height: 1.75rem; padding: 0 0.5rem; font-variant-numeric: tabular-nums; font-size: 0.875rem; }
.tools { position: sticky; top: 0; z-index: 1; display: grid; gap: 0.25rem; margin: 0 -1.25rem 0.75rem; padding: 0.375rem 1.25rem; background: var(--ground); border-bottom: 1px solid var(--line); }
@media (max-height: 30rem), (max-width: 30rem) { .tools { position: static; } }
/* On a phone the newest code comes first, and the tools after the messages. */
@media (max-width: 30rem) {
  main { display: flex; flex-direction: column; gap: 1.25rem; }
  .columns { display: contents; }
  .tools { order: 1; border-top: 1px solid var(--line); }
  .aside { order: 2; }
  .top { padding-top: 0.75rem; }
  .filter { flex: 1 0 100%; }
  .filter input { flex: 1; }
}
.tool { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; }
.tool h2 { flex: none; width: 3.75rem; white-space: nowrap; }
.tool details[open] { flex: 1 0 100%; }
.tool .rows { flex: 1 0 100%; }
.fault-form { display: flex; flex-wrap: wrap; align-items: end; gap: 0.375rem 0.75rem; padding: 0.25rem 0 0.5rem; }
.field { display: grid; gap: 0.125rem; font-size: 0.875rem; }
.field input { width: 8rem; }
.field input, .field select, .fault-form button { min-height: 2rem; }
.link { color: var(--accent); text-decoration: underline; }
.unmatched li { display: grid; }
.rows li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 0.75rem; padding: 0.25rem 0; border-top: 1px solid var(--line); }
.rows:empty { display: none; }
.requests { max-height: 26rem; overflow-y: auto; margin: 0 -0.25rem; padding: 0 0.25rem; }
summary { padding: 0.25rem 0; cursor: pointer; }
.request { font-size: 0.875rem; }
.requests .request { border-top: 1px solid var(--line); }
.fields { padding: 0.25rem 0 0.5rem; }
pre { margin: 0 0 0.5rem; padding: 0.5rem 0.75rem; background: var(--ground); border-radius: 0.5rem; font-size: 0.8125rem; white-space: pre-wrap; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
`

/** The icon of the page: an envelope with a dot. */
export const inboxIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect x="2" y="7" width="26" height="19" rx="4" fill="#0b5c52"/>
<path d="M5 11l10 8 10-8" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="26" cy="8" r="5" fill="#e5484d"/>
</svg>
`
