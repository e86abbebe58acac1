import { existsSync, readFileSync } from 'node:fs'

const path = new URL('../../README.md', import.meta.url)
const heading = '## Sandbox and testing'

/** The README's section on the sandbox; undefined while there is no README. */
export function sandboxSection(): string | undefined {
  if (!existsSync(path)) return undefined
  const readme = readFileSync(path, 'utf8')
  const start = readme.indexOf(`\n${heading}\n`)
  if (start < 0) throw new Error(`README.md has no section ${heading}`)
  const end = readme.indexOf('\n## ', start + heading.length)
  return readme.slice(start, end < 0 ? undefined : end)
}

/** The contents of the section's code blocks in one language. */
export function blocksOf(section: string, language: string): string[] {
  const fenced = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')
  return [...section.matchAll(fenced)].map(([, content = '']) => content)
}
