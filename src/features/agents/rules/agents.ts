/** A voice agent speaks on the phone; a text agent writes. */
export const AGENT_TYPES = ['voice', 'text'] as const
export type AgentType = (typeof AGENT_TYPES)[number]

/** `publishing`: the voice provider has not confirmed the version yet. */
export const AGENT_STATUSES = ['draft', 'publishing', 'published'] as const
export const VERSION_STATUSES = ['publishing', 'published', 'failed'] as const

export const MAX_PROMPT = 20_000
export const MAX_TOOLS = 20

/** The languages of the voice provider. */
export const AGENT_LANGUAGES = [
  ...[
    'en-AU',
    'en-GB',
    'en-NZ',
    'en-US',
    'en-IN',
    'de-DE',
    'es-ES',
    'es-419',
    'fr-FR',
    'fr-CA',
    'it-IT',
    'nl-NL',
    'nl-BE',
    'pt-PT',
    'pt-BR',
  ],
  ...[
    'pl-PL',
    'da-DK',
    'fi-FI',
    'no-NO',
    'sv-SE',
    'el-GR',
    'hu-HU',
    'cs-CZ',
    'ro-RO',
    'tr-TR',
    'uk-UA',
    'ru-RU',
    'hi-IN',
    'id-ID',
    'vi-VN',
  ],
  ...['th-TH', 'ja-JP', 'ko-KR', 'zh-CN', 'ar-SA', 'multi'],
] as const satisfies readonly string[]

/** The language models of the voice provider. Those of text agents are chosen by the deployment. */
export const VOICE_MODELS = [
  ...['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'claude-4.5-haiku', 'claude-4.6-sonnet'],
  ...['gemini-3.0-flash'],
] as const satisfies readonly string[]

/** What a published version consists of, and a draft too. */
export type AgentContent = {
  name: string
  language: string
  prompt: string
  greeting: string | null
  voice_id: string | null
  model: string | null
  tools: string[]
  event_type_id: string | null
  transfer_number: string | null
  knowledge_base_ids?: string[]
}
