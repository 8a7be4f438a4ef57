import * as v from 'valibot'
import type { NumberProvider } from './port.ts'
import { type Options, outcomeOf, readJson, reasonOf, twilioAsker } from './twilio.ts'

const Capabilities = v.object({ voice: v.boolean(), sms: v.boolean(), mms: v.boolean() })
/** Searches may write the names of capabilities in upper case. */
const Searched = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform((sent) => Object.fromEntries(Object.entries(sent).map(([name, has]) => [name.toLowerCase(), has]))),
  Capabilities,
)
const place = v.optional(v.nullable(v.string()), null)
const Available = v.object({
  available_phone_numbers: v.array(
    v.object({
      phone_number: v.string(),
      friendly_name: v.string(),
      iso_country: v.string(),
      locality: place,
      region: place,
      address_requirements: v.fallback(v.picklist(['none', 'any', 'local', 'foreign']), 'any'),
      capabilities: Searched,
    }),
  ),
})
const Owned = v.object({ sid: v.string(), phone_number: v.string(), friendly_name: v.string(), capabilities: Capabilities })
const OwnedList = v.object({ incoming_phone_numbers: v.array(Owned) })

const PAGE = 30

/**
 * A client for Twilio's phone numbers (2010-04-01, AvailablePhoneNumber and IncomingPhoneNumber resources,
 * https://www.twilio.com/docs/phone-numbers/api).
 */
export function twilioNumbers(options: Options): NumberProvider {
  const ask = twilioAsker(options)
  const numberOf = ({ sid, ...number }: v.InferOutput<typeof Owned>) => ({ id: sid, ...number })
  return {
    async search({ country, type, contains, sms }) {
      const query = new URLSearchParams({
        PageSize: String(PAGE),
        ...(sms && { SmsEnabled: 'true' }),
        ...(contains && { Contains: contains }),
      })
      const found = await readJson(ask, `/AvailablePhoneNumbers/${country}/${type}.json?${query}`)
      return v.parse(Available, found).available_phone_numbers
    },
    async buy({ phone_number, friendly_name, sms_url, voice_url, status_url, address, bundle }) {
      try {
        const form = {
          PhoneNumber: phone_number,
          FriendlyName: friendly_name,
          SmsUrl: sms_url,
          SmsMethod: 'POST',
          VoiceUrl: voice_url,
          VoiceMethod: 'POST',
          StatusCallback: status_url,
          StatusCallbackMethod: 'POST',
          ...(address && { AddressSid: address }),
          ...(bundle && { BundleSid: bundle }),
        }
        const response = await ask('/IncomingPhoneNumbers.json', form)
        const reply: unknown = await response.json().catch(() => undefined)
        const bought = v.safeParse(Owned, reply)
        if (response.status === 201 && bought.success) return { outcome: 'bought', number: numberOf(bought.output) }
        return { outcome: outcomeOf(response.status), reason: reasonOf(response.status, reply) }
      } catch (error) {
        return { outcome: 'unclear', reason: String(error) }
      }
    },
    async findNumber(phoneNumber) {
      const query = new URLSearchParams({ PhoneNumber: phoneNumber, PageSize: '1' })
      const [found] = v.parse(OwnedList, await readJson(ask, `/IncomingPhoneNumbers.json?${query}`)).incoming_phone_numbers
      return found && numberOf(found)
    },
    async release(id) {
      const response = await ask(`/IncomingPhoneNumbers/${encodeURIComponent(id)}.json`, undefined, 'DELETE')
      if (!response.ok && response.status !== 404) throw new Error(`The SMS provider answers with ${response.status}`)
    },
    async setTrunk(id, trunk) {
      const response = await ask(`/IncomingPhoneNumbers/${encodeURIComponent(id)}.json`, { TrunkSid: trunk ?? '' })
      const reply: unknown = await response.json().catch(() => undefined)
      if (!response.ok) throw new Error(`The provider of phone numbers refuses the trunk: ${reasonOf(response.status, reply)}`)
    },
  }
}
