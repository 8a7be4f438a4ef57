/** What the provider reports of what recipients do with an email. */
export type Tracking = { opens: boolean; clicks: boolean }

/** An email of a broadcast: to one recipient, who can unsubscribe at `unsubscribe_url` with one click (RFC 8058). */
export type BroadcastEmail = {
  from: string
  to: string
  /** Where replies go, if not to the sender. */
  reply_to: string | null
  subject: string
  text: string
  html: string
  tag: string
  unsubscribe_url: string
  tracking: Tracking
  /** Metadata by which it can be found again at the provider. */
  metadata: Record<string, string>
}

/**
 * The outcome of one email of a batch. `inactive`: the provider has blocked the address. `unavailable`: not accepted now, but later
 * perhaps.
 */
export type BatchResult = { outcome: 'sent'; message_id: string } | { outcome: 'inactive' | 'refused' | 'unavailable'; reason: string }

/**
 * The outcome of a batch. `answered`: a result for each email, in the order in which they were sent. `unavailable`: nothing was accepted,
 * but a repetition may succeed. `unclear`: some may have been accepted, so call `findBatch` before sending them again.
 */
export type BatchDelivery = { outcome: 'answered'; results: BatchResult[] } | { outcome: 'unavailable' | 'unclear'; reason: string }

export type BroadcastProvider = {
  /** Sends at most 500 emails. Never throws. */
  sendBatch(emails: BroadcastEmail[]): Promise<BatchDelivery>
  /**
   * Finds the emails that the provider accepted by an entry of their metadata: the id of each message by `by`, another entry. Throws when
   * there is no response.
   */
  findBatch(key: string, value: string, by: string): Promise<Map<string, string>>
}
