import { CATEGORIES, MAX_REPLY, type ResponderChannel } from './auto-responders.ts'

type Answering = { instructions: string | null; tone: string | null; channel: ResponderChannel }

export const TRIAGE = `You sort messages that customers have sent to a company. The category of a message is one of:
new_enquiry (somebody wants to buy or asks for an offer), question (something that a knowledge base or a record may answer), \
booking (an appointment is to be
made, moved or cancelled), complaint (somebody is dissatisfied), sales_pitch (somebody wants to sell something to the \
company), spam, other.`

export const TRIAGE_SCHEMA = {
  type: 'object',
  properties: { category: { enum: [...CATEGORIES] } },
  required: ['category'],
  additionalProperties: false,
}

export const draftPrompt = ({ instructions, tone, channel }: Answering): string =>
  [
    instructions,
    'You draft the reply to the message of a customer, in the language of that message.',
    tone && `The tone is ${tone}.`,
    `Every sentence of the reply is a claim that cites one of the sources, by the text of its field "source". List each in "claims", \
with the sentence exactly as it
stands in the reply. Say nothing that no source says: no greeting, no link, address or number of your own. \
If the sources do not answer the message, write one
sentence that says so, without a claim. The reply has at most ${MAX_REPLY[channel]} characters.`,
  ]
    .filter((part) => part)
    .join('\n\n')

export const DRAFT_SCHEMA = {
  type: 'object',
  properties: {
    reply: { type: 'string', minLength: 1, maxLength: MAX_REPLY.email },
    claims: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        properties: { text: { type: 'string', maxLength: 2_000 }, source: { type: 'string', maxLength: 200 } },
        required: ['text', 'source'],
        additionalProperties: false,
      },
    },
  },
  required: ['reply', 'claims'],
  additionalProperties: false,
}
