type Maybe<T> = T | null | undefined

/** The origin of a contact. */
export const CONTACT_SOURCES = ['manual', 'form_submission', 'voice_call', 'order_form', 'import', 'api'] as const
export type ContactSource = (typeof CONTACT_SOURCES)[number]

/** A contact's fields after schema validation. Undefined means not sent; null or blank text clears the field. */
export type ContactInput = {
  first_name?: Maybe<string>
  /** True when an import took something else for the first name, because the file had none. */
  first_name_derived?: true
  last_name?: Maybe<string>
  email?: Maybe<string>
  alternate_emails?: Maybe<readonly string[]>
  phone?: Maybe<string>
  alternate_phones?: Maybe<readonly string[]>
  landline?: Maybe<string>
  job_title?: Maybe<string>
  contact_type?: Maybe<string>
  /** `YYYY-MM-DD` */
  date_of_birth?: Maybe<string>
  notes?: Maybe<string>
  source?: Maybe<ContactSource>
  source_id?: Maybe<string>
  address_line1?: Maybe<string>
  address_line2?: Maybe<string>
  city?: Maybe<string>
  state?: Maybe<string>
  postal_code?: Maybe<string>
  country?: Maybe<string>
  timezone?: Maybe<string>
  is_primary?: Maybe<boolean>
  metadata?: Maybe<Record<string, unknown>>
  /** An ISO date, or a timestamp with an offset. */
  relationship_started_at?: Maybe<string>
  email_unsubscribed?: Maybe<boolean>
  sms_unsubscribed?: Maybe<boolean>
  voice_unsubscribed?: Maybe<boolean>
  whatsapp_unsubscribed?: Maybe<boolean>
  is_referrer?: Maybe<boolean>
  referrer_category?: Maybe<string>
  referrer_opportunity_id?: Maybe<string>
}

type Lists = 'alternate_emails' | 'alternate_phones'
type NeverNull = 'first_name' | Lists | 'source' | 'metadata' | Flag
type Flag = 'is_primary' | 'is_referrer' | `${'email' | 'sms' | 'voice' | 'whatsapp'}_unsubscribed`

/** The columns to write. Others keep their value, or get their default. */
export type ContactColumns = {
  -readonly [Field in keyof ContactInput]?: Field extends Lists
    ? string[]
    : Field extends NeverNull
      ? NonNullable<ContactInput[Field]>
      : Exclude<ContactInput[Field], undefined>
}

/** The stored values that an update needs to interpret the values that were sent. */
export type StoredContact = {
  email?: string | null
  alternate_emails?: readonly string[]
  phone?: string | null
  alternate_phones?: readonly string[]
  country?: string | null
}

/** A value that cannot be stored: its path in the input, and what to send instead. */
export type Issue = { path: string; message: string }
