import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)

/** Where a file of the repository lies. */
export const path = (name: string) => fileURLToPath(new URL(name, root))

/** A document of the repository, as its readers name it. */
export const read = (name: string) => readFileSync(path(name), 'utf8')

/** What the package is documented by, all of it published with the package. */
export const documents = ['README.md', ...readdirSync(path('docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
)

/** The code blocks of one language, without the indentation of a list they may be part of. */
export const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(
    ([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

/** The text between a heading and the next one of any level. */
export const sectionOf = (text: string, heading: string) =>
  text.split(new RegExp(`^#+ ${heading}\\n`, 'm'))[1]?.split(/^#+ /m)[0] ?? ''

/** The anchors of a document, as GitHub derives them from headings. */
export const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

/** The links of a document that stay inside the repository. */
export const linksOf = (text: string) =>
  [...text.replaceAll(/^ *```.*?^ *```/gms, '').matchAll(/\]\(([^)]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !link.startsWith('https://'))
