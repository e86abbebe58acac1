/** Words of the language, which no rename changes. */
const keywords = new Set(
  'as async await break case catch const continue default delete do else export extends false finally for from function if import in instanceof interface let new null of readonly return static switch this throw true try type typeof undefined void while yield'.split(
    ' ',
  ),
)

/** Texts stay as they are: a rename of a name does not change them. */
const tokens = /'[^'\n]*'|[A-Za-z_$][\w$]*|\s+|./g
const isName = (token) => /^[A-Za-z_$]/.test(token) && !keywords.has(token)
const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Returns the pattern of all statements with the shape of `find`, and its names in the order of their groups. */
function shapeOf(find) {
  const names = []
  const pattern = find.match(tokens).map((token) => {
    if (/^\s/.test(token)) return '\\s+'
    if (!isName(token)) return escaped(token)
    if (names.includes(token)) return `\\k<name${names.indexOf(token)}>`
    names.push(token)
    return `(?<![\\w$])(?<name${names.length - 1}>[A-Za-z_$][\\w$]*)(?![\\w$])`
  })
  return { pattern: new RegExp(pattern.join(''), 'g'), names }
}

/**
 * Returns a source with `find` replaced, or undefined unless `find` occurs once. After a rename, the place is the only
 * one with the shape of `find`, and `replace` receives the new names.
 */
export function weakened(source, { find, replace }) {
  const exact = source.split(find)
  if (exact.length === 2) return exact.join(replace)
  const { pattern, names } = shapeOf(find)
  const [place, ...others] = source.matchAll(pattern)
  if (exact.length > 2 || place === undefined || others.length > 0) return undefined
  const renamed = replace.replaceAll(tokens, (token) => {
    const index = names.indexOf(token)
    return index < 0 ? token : place.groups[`name${index}`]
  })
  return source.slice(0, place.index) + renamed + source.slice(place.index + place[0].length)
}
