// Look of pages with rows: factors on one side, rare actions on the other.

export const settingsCss = `main:has(.settings) { max-width: 40rem; }
.settings section { margin-top: 2.5rem; padding-top: 0; border-top: 0; }
.head { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-bottom: 0.5rem; }
.head h2 { margin: 0; font-size: 1.125rem; }
.badge {
  display: inline-block; padding: 0 0.625rem; border: 1px solid var(--line); border-radius: 1rem;
  color: var(--faint); font-size: 0.875rem; font-weight: 400;
}
.badge.on { border-color: var(--right); background: var(--right-ground); color: var(--right); }
.rows > li, .row { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; justify-content: space-between; }
.rows > li { min-height: 3.5rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
.rows > li:last-child { border-bottom: 1px solid var(--line); }
.row > :first-child { flex: 1 1 14rem; }
.rows p, .row p { margin: 0; }
.rows p:not(.faint) { color: inherit; font-weight: 600; }
.rows > li > :first-child { min-width: 0; }
.acts { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.rows .acts { margin-inline-start: auto; }
.acts form { margin: 0; }
.acts:has(form) { column-gap: 1rem; }
.acts button { flex: none; min-width: 2.75rem; }
.acts button.other, .acts button.main { min-height: 2.75rem; min-width: 5rem; }
.settings a.button { display: inline-flex; }
`
