/** A file of an email; its content is in base64. */
export type Attached = { name: string; content_type: string; content: string }

export type Email = {
  from: string
  to: string
  cc?: readonly string[]
  bcc?: readonly string[]
  replyTo?: string | null
  /** Further headers by name, such as those of a conversation. */
  headers?: Record<string, string>
  subject: string
  text: string
  html: string
  attachments?: readonly Attached[]
  /** The kind of message, for the provider's statistics. */
  tag: string
  /** Metadata by which the message can be found again at the provider. */
  metadata: Record<string, string>
}

/**
 * The outcome of sending. `refused`: not sent, and retrying cannot help. `unavailable`: not sent, but a retry may succeed. `unclear`: it
 * may have been sent, so call `find` before sending it again. `thread_id`: the conversation at a provider that has them.
 */
export type Delivery =
  | { outcome: 'sent'; message_id: string; thread_id?: string }
  | { outcome: 'refused' | 'unavailable' | 'unclear'; reason: string }

export type EmailProvider = {
  send(email: Email): Promise<Delivery>
  /** Finds a message that the provider accepted by an entry of its metadata, and returns its id. Throws when there is no response. */
  find(key: string, value: string): Promise<string | undefined>
}

/**
 * The mail provider of the deployment. `from`: the sender of messages without one of their own, such as `Workspace CRM <crm@example.com>`;
 * all workspaces send from its domain.
 */
export type Mailer = { from: string; provider: EmailProvider }
