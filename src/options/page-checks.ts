import { type BrandOptions, parseColour } from '../express/pages/brand.js'
import type { LinkOptions } from '../express/pages/links.js'
import type { PagesOptions } from '../express/pages/pages.js'
import {
  type Checks,
  func,
  integer,
  list,
  nonEmptyString,
  object,
  record,
  that,
  withDefault,
} from '../lib/options.js'

const link = that(
  'must be a path, an https URL, a mailto: or tel: link, or a function (req) => string',
  (value) => typeof value === 'string' || typeof value === 'function',
)

const linkChecks: Checks<LinkOptions> = {
  signIn: link,
  addPhone: link,
  support: link,
  lostPhone: link,
  home: link,
  otherMethod: link,
}

const colour = that(
  "must be a colour such as '#0b6e4f'",
  (value) => typeof value === 'string' && parseColour(value) !== undefined,
)
const sources = list(
  that(
    'must be a source such as https://cdn.example.com',
    // A semicolon or a space would begin another directive or source.
    (value) => typeof value === 'string' && /^[^\s;,]+$/.test(value),
  ),
  'must be an array of sources',
)
const cspChecks: Checks<NonNullable<BrandOptions['csp']>> = {
  imgSrc: sources,
  fontSrc: sources,
  styleSrc: sources,
}
const brandChecks: Checks<BrandOptions> = {
  name: nonEmptyString(),
  logoUrl: nonEmptyString('a path of this site or an https URL'),
  accent: colour,
  accentDark: colour,
  font: that(
    'must be a CSS font-family list',
    // Nothing that ends the declaration: the rest of it would be CSS that nobody meant.
    (value) => typeof value === 'string' && /^[\w\s,'"-]+$/.test(value),
  ),
  radius: integer(0, 64, ' (pixels)'),
  css: that('must be a string of CSS', (value) => typeof value === 'string'),
  csp: object(cspChecks),
}

export const pages: Checks<PagesOptions> = {
  locale: that(
    'must be a locale or a function (req) => locale',
    (value) => typeof value === 'string' || typeof value === 'function',
  ),
  messages: withDefault(
    {},
    record(
      record(
        that('must be a string', (value) => value === undefined || typeof value === 'string'),
        'must be an object of strings',
      ),
      'must be an object of strings per locale',
    ),
  ),
  brand: object(brandChecks, ['name']),
  links: withDefault({}, object(linkChecks)),
  render: func('(view, { req, res, locale, texts, html }) => html'),
  formFields: func('(req) => ({ name: value })'),
}
