export type Email = {
  from: string
  to: string
  subject: string
  text: string
  html: string
  /** What kind of message it is. */
  tag: string
  /** By which it is found again at the provider. */
  metadata: Record<string, string>
}

/**
 * What became of a message. `refused`: it was not sent and never will be. `unavailable`: it was not sent, later it may be.
 * `unclear`: it may have been sent or not, so ask with `find` before sending it again.
 */
export type Delivery = { outcome: 'sent'; message_id: string } | { outcome: 'refused' | 'unavailable' | 'unclear'; reason: string }

export type EmailProvider = {
  send(email: Email): Promise<Delivery>
  /** The id of a message that the provider took, by one entry of its metadata. Throws when there is no answer. */
  find(key: string, value: string): Promise<string | undefined>
}
