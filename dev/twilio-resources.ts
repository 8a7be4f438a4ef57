import type { SentSms } from './sms-emulator.ts'
import type { OwnedNumber } from './sms-numbers.ts'

/**
 * What Twilio answers about messages, numbers and addresses, with every field of the resources of its package
 * (https://www.npmjs.com/package/twilio).
 */
const VERSION = '2010-04-01'
const at = (account: string, path: string) => `/${VERSION}/Accounts/${account}${path}`

/** A message of the account. */
export function shownMessage({ sid, from, to, body, status, date_created, media_urls }: SentSms, account: string) {
  const path = `/Messages/${sid}`
  return {
    account_sid: account,
    api_version: VERSION,
    body,
    date_created,
    date_sent: null,
    date_updated: date_created,
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from,
    messaging_service_sid: null,
    num_media: String(media_urls.length),
    num_segments: '1',
    price: null,
    price_unit: 'USD',
    sid,
    status,
    to,
    subresource_uris: { media: at(account, `${path}/Media.json`) },
    uri: at(account, `${path}.json`),
  }
}

/** A number of the account. */
export function shownNumber(number: OwnedNumber, account: string) {
  const { created_at, requires, ...shown } = number
  return {
    ...shown,
    account_sid: account,
    address_requirements: requires,
    api_version: VERSION,
    beta: false,
    date_created: created_at,
    date_updated: created_at,
    emergency_address_sid: null,
    emergency_address_status: 'unregistered',
    emergency_status: 'Inactive',
    identity_sid: null,
    origin: 'twilio',
    sms_application_sid: '',
    sms_fallback_method: 'POST',
    sms_fallback_url: '',
    sms_method: 'POST',
    status: 'in-use',
    status_callback_method: 'POST',
    type: 'mobile',
    voice_application_sid: '',
    voice_caller_id_lookup: false,
    voice_fallback_method: 'POST',
    voice_fallback_url: '',
    voice_method: 'POST',
    voice_receive_mode: 'voice',
    uri: at(account, `/IncomingPhoneNumbers/${number.sid}.json`),
  }
}

/** The only page of a list. */
export function onlyPage(name: string, found: object[], size: number, account: string, path: string) {
  const uri = at(account, `${path}?PageSize=${size}&Page=0`)
  const list = { [name]: found.slice(0, size), page: 0, page_size: size, first_page_uri: uri, uri }
  return { ...list, next_page_uri: null, previous_page_uri: null, start: 0, end: Math.max(0, Math.min(found.length, size) - 1) }
}
