import type { Delivery } from '../email/port.ts'

/** Numbers are E.164. `status_callback`: where the provider reports what happens to the message. */
export type Sms = { from: string; to: string; body: string; status_callback: string }

export type SmsProvider = {
  /** Never throws. See Delivery: after `unclear`, call `find` before sending again. The reason of a refusal begins with the provider's error code. */
  send(sms: Sms): Promise<Delivery>
  /** The ids of the messages with this sender, recipient and text that the provider has accepted since a time, newest first. Throws when there is no response. */
  find(sms: Pick<Sms, 'from' | 'to' | 'body'>, since: Date): Promise<string[]>
}

/** A number that can be bought. */
export type AvailableNumber = {
  phone_number: string
  friendly_name: string
  iso_country: string
  locality: string | null
  region: string | null
  capabilities: { voice: boolean; sms: boolean; mms: boolean }
}
export type BoughtNumber = {
  id: string
  phone_number: string
  friendly_name: string
  capabilities: { voice: boolean; sms: boolean; mms: boolean }
}
export type NumberToBuy = { phone_number: string; friendly_name: string; sms_url: string }
/** `unclear`: it may have been bought, so call `findNumber` before buying again. */
export type Purchase = { outcome: 'bought'; number: BoughtNumber } | { outcome: 'refused' | 'unavailable' | 'unclear'; reason: string }

export type NumberProvider = {
  /** Throws when there is no response. */
  search(query: { country: string; type: 'Local' | 'Mobile' | 'TollFree'; contains?: string | undefined }): Promise<AvailableNumber[]>
  /** Never throws. */
  buy(number: NumberToBuy): Promise<Purchase>
  /** Finds a number that the account has. Throws when there is no response. */
  findNumber(phoneNumber: string): Promise<BoughtNumber | undefined>
  /** Gives a number back; one that the account does not have is released already. Throws when there is no response. */
  release(id: string): Promise<void>
}

/** The account of the deployment at the provider of phone numbers. `events_url` is where it posts, without the workspace and the message. */
export type Telephony = { sms: SmsProvider; numbers: NumberProvider; events_url: string }
