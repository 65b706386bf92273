/** The style of the pages: one column, the system's font and colour scheme, tables that become lists on narrow screens. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --paper: #ffffff; --ink: #1b1f27; --soft: #5a6373; --line: #dfe3ea;
  --accent: #2454c5; --on-accent: #ffffff; --good: #0f6b3c; --good-ground: #e3f4ea; --bad: #9b1c1c; --bad-ground: #fdeaea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151b; --paper: #1b1f27; --ink: #e8ebf0; --soft: #a3adbd; --line: #333a47;
    --accent: #8fb0ff; --on-accent: #10131a; --good: #8be0b0; --good-ground: #17301f; --bad: #ffb3b3; --bad-ground: #3a1a1a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: min(44rem, 100% - 2rem); margin: 3rem auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 0.75rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 0.25rem; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 0.75rem; }
p { margin: 0.5rem 0; }
a { color: var(--accent); }
.whose, .hint { color: var(--soft); }
.whose strong { color: var(--ink); font-weight: 600; overflow-wrap: anywhere; }
.hint { font-size: 0.9rem; }
.saved, .wrong { margin: 1.25rem 0 0; padding: 0.75rem 1rem; border-radius: 0.5rem; background: var(--good-ground); color: var(--good); font-weight: 600; }
.wrong { background: var(--bad-ground); color: var(--bad); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 500; }
thead th { font-size: 0.85rem; color: var(--soft); padding: 0.25rem 0.5rem; text-align: center; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { padding: 0.25rem 0.5rem 0.25rem 0; overflow-wrap: anywhere; }
td { padding: 0; text-align: center; }
td label { display: block; padding: 0.7rem 0.5rem; cursor: pointer; }
td.none { color: var(--soft); }
tr.all { border-top: 2px solid var(--line); }
tr.all th { font-weight: 700; }
.narrow { display: none; }
input[type=checkbox] { width: 1.2rem; height: 1.2rem; margin: 0; accent-color: var(--accent); vertical-align: -0.2rem; }
.switch { display: flex; gap: 0.6rem; align-items: center; padding: 0.4rem 0; cursor: pointer; }
.hours { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; margin: 0.5rem 0; align-items: end; }
.hours label { color: var(--soft); font-size: 0.9rem; }
.hours input, .hours select { display: block; margin-top: 0.25rem; }
.hours input, select { min-height: 2.5rem; padding: 0.25rem 0.6rem; font: inherit; font-size: 1rem; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 0.4rem; }
.frequency { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: 0.4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.frequency select { width: 11rem; flex: none; }
.zone { flex: 1 1 14rem; }
.hours select { width: 100%; }
.actions { margin-top: 2rem; }
button { min-height: 2.75rem; padding: 0.5rem 1.75rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 0.5rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 36rem) {
  main { width: 100%; margin: 0; padding: 1.25rem; border: 0; border-radius: 0; min-height: 100vh; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.25rem; padding: 0.6rem 0; }
  tbody th { grid-column: 1 / -1; font-weight: 600; }
  td.none { display: none; }
  td label { display: flex; align-items: center; gap: 0.5rem; padding: 0.5rem 0; }
  .narrow { display: inline; }
  button { width: 100%; }
}
`
