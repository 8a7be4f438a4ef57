/** The bindings and variables of the Worker (wrangler.toml). */
export type Env = {
  /** Postgres as role `app`, for requests. Secret. */
  DATABASE_URL: string
  /** Postgres as role `jobs`, for queues and cron jobs: it may also call functions that reach every workspace. Secret. */
  DATABASE_JOBS_URL: string
  /** Local only: the address of the Neon endpoint in front of a plain Postgres. */
  NEON_PROXY?: string
  /** The deadline of a database request in milliseconds; 20,000 by default. */
  DATABASE_DEADLINE_MS?: string
  /** The web application's address, for links in emails. */
  APP_URL: string
  /** The address of this API, for the unsubscribe links of campaigns. */
  API_URL: string
  EMAIL_API_URL: string
  /** Secret. */
  EMAIL_API_TOKEN: string
  EMAIL_FROM: string
  /** The token in the path at which the email provider reports the outcome of messages; empty if it does not. Secret. */
  EMAIL_WEBHOOK_TOKEN?: string
  /** The provider of SMS and phone numbers, such as https://api.twilio.com; without an account nothing is sent by SMS. */
  SMS_API_URL?: string
  SMS_ACCOUNT_SID?: string
  /** Secret; it also verifies what the provider posts. */
  SMS_AUTH_TOKEN?: string
  /** The provider's API of regulatory bundles, such as https://numbers.twilio.com. */
  SMS_COMPLIANCE_URL?: string
  /** The voice provider, such as https://api.retellai.com; without its key no number has voice agents. */
  VOICE_API_URL?: string
  /** Secret; it also verifies what the voice provider posts. */
  VOICE_API_KEY?: string
  /**
   * The SIP trunk at the provider of phone numbers that leads to the voice provider: its id, and the address by which the voice provider
   * calls through it.
   */
  VOICE_TRUNK_SID?: string
  VOICE_TERMINATION_URI?: string
  /**
   * The format of the model provider: `anthropic` (Messages) or `openai` (Chat Completions), and its address, such as
   * https://api.anthropic.com.
   */
  MODEL_PROVIDER?: string
  MODEL_API_URL?: string
  /** Secret; without it nothing is answered by a model. */
  MODEL_API_KEY?: string
  /** What the provider calls the models that skills name `standard` and `small`. */
  MODEL_STANDARD?: string
  MODEL_SMALL?: string
  /** The provider of WhatsApp: the address and the key of an Evolution API. Without them no phone can be paired. */
  WHATSAPP_API_URL?: string
  /** Secret. */
  WHATSAPP_API_KEY?: string
  /** The provider of bots that record meetings: the address of a region of Recall.ai, such as https://us-east-1.recall.ai. */
  NOTETAKER_API_URL?: string
  /** Secret. */
  NOTETAKER_API_KEY?: string
  /** Verifies what the provider of notetakers reports: `whsec_` and base64. Secret. */
  NOTETAKER_WEBHOOK_SECRET?: string
  /** The provider that transcribes recordings, such as https://api.deepgram.com. */
  SPEECH_API_URL?: string
  /** Secret. */
  SPEECH_API_KEY?: string
  /** Google Calendar, such as https://www.googleapis.com; without a client no account of Google can be connected. */
  GOOGLE_API_URL?: string
  /** Where Google issues tokens, such as https://oauth2.googleapis.com. */
  GOOGLE_OAUTH_URL?: string
  /** Where Google asks for consent, such as https://accounts.google.com. */
  GOOGLE_CONSENT_URL?: string
  GOOGLE_CLIENT_ID?: string
  /** Secret. */
  GOOGLE_CLIENT_SECRET?: string
  /** Gmail, such as https://gmail.googleapis.com; without it no mailbox can be connected. */
  GMAIL_API_URL?: string
  /**
   * Where Google publishes the changes of mailboxes, such as projects/crm/topics/gmail. Without it mailboxes are read every five minutes.
   */
  GMAIL_TOPIC?: string
  /** The token in the path to which Google posts these changes; without it, it posts none. Secret. */
  GMAIL_PUSH_TOKEN?: string
  /** Microsoft Graph, such as https://graph.microsoft.com; without a client no account of Microsoft can be connected. */
  MICROSOFT_API_URL?: string
  /** Where Microsoft asks for consent and issues tokens, such as https://login.microsoftonline.com. */
  MICROSOFT_OAUTH_URL?: string
  MICROSOFT_CLIENT_ID?: string
  /** Secret. */
  MICROSOFT_CLIENT_SECRET?: string
  /**
   * The provider of embeddings: https://api.openai.com/v1, or for a model of Workers AI
   * https://api.cloudflare.com/client/v4/accounts/<account>/ai.
   */
  EMBEDDINGS_API_URL?: string
  /** Secret; without it knowledge bases cannot be filled or searched. */
  EMBEDDINGS_API_KEY?: string
  /** The model, such as text-embedding-3-small or @cf/baai/bge-m3. Vectors of another one cannot be compared with those that are stored. */
  EMBEDDINGS_MODEL?: string
  /**
   * Where new service requests are posted as JSON, such as an incoming webhook of a chat. Without it they are sent to ENGINEERING_EMAIL.
   * Secret.
   */
  ENGINEERING_WEBHOOK_URL?: string
  /** The address to which new service requests are sent. Without either, their notices wait. */
  ENGINEERING_EMAIL?: string
  /** The payment provider, https://api.stripe.com by default. Each workspace has its own account there. */
  STRIPE_API_URL?: string
  /** Cloudflare Turnstile, https://challenges.cloudflare.com by default, and the key of its widget, which pages show. */
  TURNSTILE_API_URL?: string
  TURNSTILE_SITE_KEY?: string
  /** Secret; without both keys no booking page can have a challenge. */
  TURNSTILE_SECRET_KEY?: string
  /** Seals secrets of providers before they are stored (src/lib/seal.ts). Needed as soon as there is one. Secret. */
  SEALING_KEYS?: string
  /**
   * Development only: receivers on this machine that webhooks and HTTP steps may call although their address is not public, each `host` or
   * `host:port`, separated by commas.
   */
  LOCAL_RECEIVERS?: string
  /**
   * The DNS over HTTPS resolver that checks names before they are called, in the form of https://cloudflare-dns.com/dns-query. Empty: no
   * check.
   */
  DNS_RESOLVER_URL?: string
  /** Attachments, by workspace and id. */
  FILES: R2Bucket
  /** Decodes and encodes pictures. */
  IMAGES: ImagesBinding
  /**
   * Signs links: of files, unsubscribing, portals, reviews, bookings. Secrets of at least 32 characters, separated by commas; the first one
   * signs.
   */
  FILE_SECRET: string
  ASSETS: Fetcher
  EVENTS: Queue<unknown>
  APPROVALS: Queue<unknown>
  REQUESTS: Queue<unknown>
  /** Background work over many records: imports, and the indexes of custom fields. */
  IMPORTS: Queue<unknown>
  /** Messages to contacts, by workspace. */
  MESSAGES: Queue<unknown>
  /** Campaigns that are sent. */
  CAMPAIGNS: Queue<unknown>
  /** What the email provider reports about messages. */
  DELIVERIES: Queue<unknown>
  /** Deliveries of webhooks, and what incoming webhooks have received. */
  WEBHOOKS: Queue<unknown>
  /** The object that polls a workspace's feed of events for all who wait for it, by the workspace's id. */
  EVENT_FEED: DurableObjectNamespace
  /** The object that watches over a workspace's pairing with WhatsApp, by the workspace's id. */
  WHATSAPP_PAIRING: DurableObjectNamespace
  /** After this number of seconds a stream of events ends. */
  EVENT_STREAM_SECONDS: string
  /** The seconds between two heartbeats of a stream; at most 60. */
  EVENT_HEARTBEAT_SECONDS: string
  /** How long an isolate collects request log entries before it sends them, in milliseconds. */
  REQUEST_LOG_MILLISECONDS: string
  /** The retention of the change history in days; at least 90. */
  HISTORY_DAYS: string
  /** By the hash of a key: its requests, and those that send something. */
  RATE_LIMIT: RateLimit
  SEND_RATE_LIMIT: RateLimit
  WORKSPACE_RATE_LIMIT: RateLimit
  /** By the address of callers without a valid key. */
  ADDRESS_RATE_LIMIT: RateLimit
}

/** The connection settings that `batch` takes, for a request: one workspace, found by its key. */
export const databaseOf = (env: Env): Database => ({ ...connectionOf(env), url: env.DATABASE_URL })

/** The same for a queue or a cron job, which names the workspace itself. */
export const jobsDatabaseOf = (env: Env): Database => ({ ...connectionOf(env), url: env.DATABASE_JOBS_URL })

type Database = { url: string; proxy: string | undefined; deadline: number | undefined }

const connectionOf = (env: Env) => ({ proxy: env.NEON_PROXY, deadline: deadlineOf(env) })

function deadlineOf({ DATABASE_DEADLINE_MS: set }: Env): number | undefined {
  if (!set) return undefined
  const given = Number(set)
  if (!Number.isInteger(given) || given < 1) throw new Error(`DATABASE_DEADLINE_MS must be a whole number of milliseconds, not "${set}"`)
  return given
}
