import { describe, expect, it } from 'vitest'
import {
  type DeliveryRecord,
  nextDelivery,
  noCodes,
  sharesAt,
} from '../../../src/challenge/watch/delivery-state.js'
import { hour, minute } from '../kit.js'

const low = 'delivery.low'
const recovered = 'delivery.recovered'

const noon = 1_800_000_000_000 - (1_800_000_000_000 % hour)

/** So many codes an hour to one country that arrive, and that do not; each hour is counted in one go. */
function follow(hours: string) {
  let record: DeliveryRecord | undefined
  const told = hours.split(' ').map((hourly, index) => {
    const [delivered = 0, rejected = 0] = hourly.split(':').map(Number)
    const sent = delivered + rejected
    const counted = [{ country: 'CO', channel: 'sms', ...noCodes, sent, delivered, rejected }]
    const next = nextDelivery(record, counted, noon + index * hour)
    record = next.record
    return next.events.map(({ type }) => type).join()
  })
  return { told, record }
}

describe('the codes of a country', () => {
  it.each([
    ['fall below half of what is usual', '90:10 44:56', ['', low]],
    ['stay above it', '90:10 46:54', ['', '']],
    ['are back at three quarters, and not before', '90:10 10:90 30:70 50:50', ['', low, '', recovered]],
    ['are too few to show what is usual', '49:0 0:100', ['', '']],
    ['are too few in the hour', '90:10 0:22', ['', '']],
    ['are just enough', '90:10 0:23', ['', low]],
  ])('%s (arrived:lost, by the hour, %s)', (_, hours, told) => {
    expect(follow(hours).told).toEqual(told)
  })

  it('are those of the last hour', () => {
    const record = follow('9:1').record as DeliveryRecord
    const share = { country: 'CO', channel: 'sms', sent: 10, delivered: 9, rejected: 1, unknown: 0 }
    expect(sharesAt(record, noon + hour - 1)).toEqual([share])
    expect(sharesAt(record, noon + hour)).toEqual([])
    const more = [{ country: 'CO', channel: 'sms', ...noCodes, sent: 1 }]
    const later = nextDelivery(record, more, noon + 5 * minute).record
    expect(sharesAt(later, noon + 5 * minute)).toEqual([{ ...share, sent: 11 }])
  })

  it('are told by country and method, with their figures', () => {
    const counted = ['sms', 'call'].map((channel) => ({
      country: 'CO',
      channel,
      ...noCodes,
      sent: 100,
      delivered: 100,
    }))
    const { record } = nextDelivery(undefined, counted, noon)
    const lost = { country: 'CO', channel: 'call', sent: 100, delivered: 20, rejected: 30, unknown: 50 }
    expect(nextDelivery(record, [lost], noon + hour).events).toEqual([{ type: 'delivery.low', ...lost }])
  })
})
