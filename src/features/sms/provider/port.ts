import type { Delivery } from '../../email/provider/port.ts'
import type { FetchedMedia } from '../../message-media/provider/port.ts'

/** Numbers are E.164. `status_callback`: where the provider reports what happens to the message. `media_urls`: where it reads the files. */
export type Sms = { from: string; to: string; body: string; status_callback: string; media_urls?: string[] }

export type SmsProvider = {
  /**
   * Never throws. See Delivery: after `unclear`, call `find` before sending again. The reason of a refusal begins with the provider's error
   * code.
   */
  send(sms: Sms): Promise<Delivery>
  /**
   * The ids of the messages with this sender, recipient and text that the provider has accepted since a time, newest first. Throws when
   * there is no response.
   */
  find(sms: Pick<Sms, 'from' | 'to' | 'body'>, since: Date): Promise<string[]>
  /** A file of a message that was received, of at most `max` bytes. Throws when there is none, or no response. @throws TooLarge */
  media(source: string, max: number): Promise<FetchedMedia>
}

/** A number that can be bought. */
export type AvailableNumber = {
  phone_number: string
  friendly_name: string
  iso_country: string
  locality: string | null
  region: string | null
  address_requirements: 'none' | 'any' | 'local' | 'foreign'
  capabilities: { voice: boolean; sms: boolean; mms: boolean }
}
export type BoughtNumber = {
  id: string
  phone_number: string
  friendly_name: string
  capabilities: { voice: boolean; sms: boolean; mms: boolean }
}
/**
 * `sms_url`, `voice_url`: what the provider asks when the number gets a message or a call; `status_url`: where it reports the outcome of
 * calls.
 */
export type NumberToBuy = {
  phone_number: string
  friendly_name: string
  sms_url: string
  voice_url: string
  status_url: string
  /** The provider's ids of the address and the bundle, which some countries require. */
  address: string | null
  bundle: string | null
}
/** `unclear`: it may have been bought, so call `findNumber` before buying again. */
export type Purchase = { outcome: 'bought'; number: BoughtNumber } | { outcome: 'refused' | 'unavailable' | 'unclear'; reason: string }

export type NumberQuery = {
  country: string
  type: 'Local' | 'Mobile' | 'TollFree'
  contains?: string | undefined
  sms?: boolean | undefined
}
export type NumberProvider = {
  /** Throws when there is no response. */
  search(query: NumberQuery): Promise<AvailableNumber[]>
  /** Never throws. */
  buy(number: NumberToBuy): Promise<Purchase>
  /** Finds a number that the account has. Throws when there is no response. */
  findNumber(phoneNumber: string): Promise<BoughtNumber | undefined>
  /** Gives a number back; one that the account does not have is released already. Throws when there is no response. */
  release(id: string): Promise<void>
  /**
   * Sends the calls to a number through a SIP trunk, or with null to the address of the number itself. Throws unless the provider has
   * accepted it.
   */
  setTrunk(id: string, trunk: string | null): Promise<void>
}

/** An address as the provider gets it; `name` is ours, by which it is found again. */
export type AddressToCreate = {
  name: string
  customer_name: string
  street: string
  street_secondary: string | null
  city: string
  region: string
  postal_code: string
  country: string
}
export type CreatedAddress = { id: string; validated: boolean }

/** A bundle as the provider gets it; `name` is ours, by which it and its parts are found again. */
export type BundleToCreate = {
  name: string
  email: string
  country: string
  number_type: string
  end_user_type: string
  status_url: string
  end_user: Record<string, string>
  documents: { type: string; attributes: Record<string, string>; address_sids: string[] }[]
}
export type BundleDetail = { id: string; status: string; friendly_name: string; valid_until: string | null; failure_reason: string | null }
export type Requirement = {
  name: string
  friendly_name: string
  object_type: string
  passed: boolean
  failure_reason: string | null
  invalid: { field: string; reason: string | null }[]
}
export type Evaluation = { id: string; status: 'compliant' | 'noncompliant'; created_at: string; requirements: Requirement[] }

/** A refusal that a repetition would not change. */
export class Refused extends Error {}

/** Each call throws Refused for a definite refusal and another error when the outcome is not known. */
export type ComplianceProvider = {
  createAddress(address: AddressToCreate): Promise<CreatedAddress>
  findAddress(name: string): Promise<CreatedAddress | undefined>
  /** Creates the bundle and all that belongs to it; with `isAgain` each part is looked up before it is created. */
  createBundle(bundle: BundleToCreate, isAgain: boolean): Promise<{ id: string }>
  bundle(id: string): Promise<BundleDetail>
  evaluations(id: string): Promise<Evaluation[]>
  evaluate(id: string): Promise<Evaluation>
  submit(id: string): Promise<BundleDetail>
  /** Deletes what has our name, or with an id that; what is not there is deleted already. */
  deleteAddress(address: { name: string; id: string | null }): Promise<void>
  /** Deletes a bundle, its end user and its documents. */
  deleteBundle(bundle: { name: string; id: string | null }): Promise<void>
}

/**
 * The account of the deployment at the provider of phone numbers. `events_url` is where it posts about messages, `calls_url` about calls
 * and `bundles_url` about bundles, each without the workspace.
 */
export type Telephony = {
  sms: SmsProvider
  numbers: NumberProvider
  compliance: ComplianceProvider
  events_url: string
  calls_url: string
  bundles_url: string
  /** An address that serves a stored file to the provider for some hours. */
  fileUrl(key: string, name: string, now: Date): string
}
