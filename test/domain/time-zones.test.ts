import { getCountries } from 'libphonenumber-js/min'
import { expect, test } from 'vitest'
import { countryCode, toZone, zoneOfCountry, zoneOfState } from '../../src/domain/time-zones.ts'
import { zoneOfContact } from '../../src/features/contacts/rules/local-zone.ts'

test.each([
  ['Australia/Sydney', 'Australia/Sydney'],
  ['australia/sydney', 'Australia/Sydney'],
  [' AMERICA/NEW YORK ', 'America/New_York'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Asia/Calcutta', 'Asia/Calcutta'],
  ['us/eastern', 'US/Eastern'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['UTC', 'UTC'],
  ['utc', 'UTC'],
  ['Etc/UTC', 'Etc/UTC'],
  ['etc/gmt+10', 'Etc/GMT+10'],
  ['Etc/GMT-14', 'Etc/GMT-14'],
  ['etc/zulu', 'Etc/Zulu'],
  ['GMT', 'Etc/GMT'],
  ['NZ', 'Pacific/Auckland'],
  ['Singapore', 'Asia/Singapore'],
])('the zone %j is %s', (text, zone) => {
  expect(toZone(text)).toBe(zone)
})

test.each([
  '',
  ' ',
  '+10:00',
  'EST',
  'EST5EDT',
  'AEST',
  'Etc/GMT+13',
  'Etc/GMT-15',
  'Mars/Olympus',
  'Sydney Harbour',
  'constructor',
  '__proto__',
])('%j is no zone', (text) => {
  expect(toZone(text)).toBeUndefined()
})

test.each([
  ['NSW', undefined, 'Australia/Sydney'],
  ['n.s.w.', undefined, 'Australia/Sydney'],
  ['New  South Wales', undefined, 'Australia/Sydney'],
  ['act', undefined, 'Australia/Sydney'],
  ['Vic', undefined, 'Australia/Melbourne'],
  ['Queensland', undefined, 'Australia/Brisbane'],
  ['SA', undefined, 'Australia/Adelaide'],
  ['TAS', undefined, 'Australia/Hobart'],
  ['NT', undefined, 'Australia/Darwin'],
  ['WA', undefined, 'Australia/Perth'],
  ['WA', 'Australia', 'Australia/Perth'],
  ['WA', 'US', 'America/Los_Angeles'],
  ['WA', 'United States', 'America/Los_Angeles'],
  ['NT', 'Canada', 'America/Edmonton'],
  ['CA', 'AU', 'America/Los_Angeles'],
  ['California', 'Australia', 'America/Los_Angeles'],
  ['Washington, D.C.', undefined, 'America/New_York'],
  ['Hawaiʻi', undefined, 'Pacific/Honolulu'],
  ['Québec', undefined, 'America/Toronto'],
  ["Hawke's Bay", undefined, 'Pacific/Auckland'],
  ['Chatham Islands', 'NZ', 'Pacific/Chatham'],
  ['Scotland', undefined, 'Europe/London'],
  ['WA', 'Narnia', 'Australia/Perth'],
  ['Bavaria', 'Germany', undefined],
])('the state %j (%s) as a zone is %s', (state, country, zone) => {
  expect(toZone(state, country)).toBe(zone)
})

test.each([
  ['WA', undefined, 'Australia/Perth'],
  ['WA', 'USA', 'America/Los_Angeles'],
  ['Bavaria', 'Germany', 'Europe/Berlin'],
  ['Kent', 'England', 'Europe/London'],
  ['PA', 'Brazil', undefined],
  ['WA', 'Nigeria', 'Africa/Lagos'],
  ['Georgia', 'Georgia', 'Asia/Tbilisi'],
  ['Georgia', 'Australia', 'America/New_York'],
  ['Atlantis', 'Australia', undefined],
  ['', 'Germany', undefined],
])('the state %j of %s keeps %s', (state, country, zone) => {
  expect(zoneOfState(state, country)).toBe(zone)
})

test.each([
  [{ timezone: 'Europe/Paris', state: 'NSW', phone: '+12125550123' }, 'Europe/Paris'],
  [{ timezone: null, state: 'QLD', country: 'Australia', phone: '+12125550123' }, 'Australia/Brisbane'],
  [{ state: null, country: 'Australia', phone: '+64211234567' }, 'Pacific/Auckland'],
  [{ state: 'Atlantis', country: 'Australia', phone: '+12125550123' }, 'America/New_York'],
  [{ phone: '+14155552671' }, 'America/Los_Angeles'],
  [{ phone: '+14165550123' }, 'America/Toronto'],
  // 208 is Idaho, in two zones; 710 is no area code of a place; 800 is toll-free.
  [{ phone: '+12085550123' }, 'Australia/Perth'],
  [{ phone: '+17105550123' }, 'Australia/Perth'],
  [{ phone: '+18005550123' }, 'Australia/Perth'],
  [{ phone: '+18765550123' }, 'America/Jamaica'],
  [{ phone: '+80012345678' }, 'Australia/Perth'],
  [{ country: 'France' }, 'Australia/Perth'],
  [{}, 'Australia/Perth'],
])('%j, in a workspace in Perth, keeps %s', (contact, zone) => {
  expect(zoneOfContact(contact, 'Australia/Perth').timezone).toBe(zone)
})

test('every country that a phone number can have has a zone that Intl and toZone know', () => {
  for (const country of getCountries()) {
    const zone = zoneOfCountry(country) as string
    expect(toZone(zone), country).toBe(zone)
    expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow()
  }
})

test('every zone that Intl lists keeps its name', () => {
  for (const zone of Intl.supportedValuesOf('timeZone')) expect(toZone(zone.toUpperCase())).toBe(zone)
})

test.each([
  ['Australia', 'AU'],
  ['AU', 'AU'],
  [' au ', 'AU'],
  ['AUS', 'AU'],
  ['United States', 'US'],
  ['the united states of america', 'US'],
  ['U.S.A.', 'US'],
  ['UK', 'GB'],
  ['Scotland', 'GB'],
  ['Korea', 'KR'],
  ['North Korea', 'KP'],
  ['Türkiye', 'TR'],
  ['Turkey', 'TR'],
  ['Saint Lucia', 'LC'],
  ['St. Kitts and Nevis', 'KN'],
  ['Côte d’Ivoire', 'CI'],
  ["Cote d'Ivoire", 'CI'],
  ['Hong Kong', 'HK'],
  ['Viet Nam', 'VN'],
  ['Bahamas, The', undefined],
  ['Atlantis', undefined],
  ['ZZ', undefined],
  ['', undefined],
])('the country %j is %s', (text, code) => {
  expect(countryCode(text)).toBe(code)
})
