import { present } from '../../../lib/json.js'
import { dayMs } from '../../../lib/time.js'
import { premiumCategories, statisticCategories } from '../../../provider/parameter-schemas.js'
import type { Account } from '../account.js'
import { tally } from '../clicks.js'
import type { LinkStore } from '../short-links.js'
import { premiumUrlPrice } from './dispatch.js'
import type { ParametersOf } from './parameters.js'
import { type Refusal, refuse } from './refusals.js'
import type { Handlers } from './service.js'

const defaultMonths = 12
const maxUrlLength = 2_048

/** Creates the operations on short URLs: create a URL, read its clicks. */
export function urlOperations(
  account: Account,
  links: LinkStore,
): Pick<Handlers, 'shortenUrl' | 'urlStatistics'> {
  return {
    shortenUrl(parameters) {
      const { name, alias, 'group-name': groupName, 'domain-name': domainName } = parameters
      const premium = parameters['is-premium'] ?? false
      const refusal = checkOrder(parameters)
      if (refusal !== undefined) return refusal
      if (premium && account.credits() < premiumUrlPrice) {
        return refuse('credits', 'The account does not have enough credits.')
      }
      const created = links.create({
        name,
        urlLong: parameters['url-long'],
        premium,
        ...present({ alias, groupName, domainName }),
        months: Number(parameters['expiration-time-statistics'] ?? 0) || defaultMonths,
      })
      if ('taken' in created) return refuse('urlTaken', `Another URL has this ${created.taken}.`)
      if (created.created && premium) account.charge(premiumUrlPrice)
      const msg = created.created ? 'The short URL was created.' : 'The short URL existed already.'
      return { ...created.link, msg }
    },

    urlStatistics({ 'name-url': name, since, until, category }) {
      const link = links.named(name)
      if (link === undefined) return refuse('url', 'No short URL has this name.')
      if (!link.premium && premiumCategories.some((one) => one === category)) {
        return refuse('premium', `${category} is a category of premium URLs.`)
      }
      const clicks = links.clicksOf(link, Date.parse(since), Date.parse(until) + dayMs)
      const all = link.premium ? [...statisticCategories, ...premiumCategories] : statisticCategories
      const wanted = category === undefined ? all : [category]
      return { ...link, clicksNumber: clicks.length, metrics: wanted.flatMap((one) => tally(one, clicks)) }
    },
  }
}

/** Checks the parameters of a URL and its path, for which the documentation gives no format. */
function checkOrder(parameters: ParametersOf<'shortenUrl'>): Refusal | undefined {
  const { alias = 'a', 'domain-name': domain = 'a' } = parameters
  const { 'url-long': url, 'expiration-time-statistics': months = '0' } = parameters
  const rules: readonly (readonly [isKept: boolean, rule: string])[] = [
    [isWebAddress(url), `url-long must be an http or https URL of at most ${maxUrlLength} characters.`],
    [/^[\w-]{1,64}$/.test(alias), 'alias must be letters, digits, - and _, at most 64.'],
    [/^[a-z\d]([a-z\d.-]{0,98}[a-z\d])?$/i.test(domain), 'domain-name must be a domain.'],
    [/^\d{1,3}$/.test(months), 'expiration-time-statistics must be a number of months.'],
  ]
  const broken = rules.find(([isKept]) => !isKept)
  return broken && refuse('parameters', broken[1])
}

function isWebAddress(text: string): boolean {
  if (text.length > maxUrlLength || !URL.canParse(text)) return false
  return ['http:', 'https:'].includes(new URL(text).protocol)
}
