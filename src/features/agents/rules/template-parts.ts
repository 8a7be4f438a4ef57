import type { Paragraph, TemplateQuestion, VoiceTemplate } from './templates.ts'

/** The questions, paragraphs and tools that several templates share. */
export const BUSINESS: TemplateQuestion = {
  key: 'business_name',
  label: 'What is the business called?',
  type: 'text',
  required: true,
  default: null,
}
export const AGENT_NAME: TemplateQuestion = {
  key: 'agent_name',
  label: 'What is the agent called?',
  type: 'text',
  required: false,
  default: 'Alex',
}
export const ABOUT: TemplateQuestion = {
  key: 'about',
  label: 'What does the business offer, where, and when is it open?',
  type: 'long_text',
  required: false,
  default: null,
}
export const EVENT_TYPE: TemplateQuestion = {
  key: 'event_type_id',
  label: 'Which event type may it book? Blank: it books nothing.',
  type: 'event_type',
  required: false,
  default: null,
}
export const TRANSFER: TemplateQuestion = {
  key: 'transfer_number',
  label: 'Who takes calls that need a person? Blank: nobody.',
  type: 'transfer_number',
  required: false,
  default: null,
}
export const CONTACT_EMAIL: TemplateQuestion = {
  key: 'contact_email',
  label: 'Which email address may it tell callers? Blank: none.',
  type: 'email',
  required: false,
  default: null,
}
export const CALLBACK: TemplateQuestion = {
  key: 'callback_number',
  label: 'Which number of the workspace may people call back? Blank: none.',
  type: 'phone_number',
  required: false,
  default: null,
}

const RULES = `Speak in short sentences and ask one question at a time. Say only what is written here: if you do not know something, \
say so and offer that
somebody calls back. Do not promise prices, dates or results. If somebody wants to know whether you are a person, \
say that you are an assistant.`.replaceAll('\n', ' ')

export const person = (task: string): Paragraph => ({ text: `You are {agent_name}, the phone assistant of {business_name}. ${task}` })
export const PARAGRAPHS = {
  about: { needs: 'about', text: 'About the business:\n{about}' },
  booking: {
    needs: 'event_type_id',
    text:
      'You can book a time. Ask for a day, find free times with find_slots, offer at most two of them, ' +
      'and book with the name of the caller.',
  },
  changes: {
    needs: 'event_type_id',
    text:
      'You can also find, move and cancel bookings of the caller. ' +
      'Say which booking it is, and let the caller confirm, before you change it.',
  },
  transfer: {
    needs: 'transfer_number',
    text: 'When the caller asks for a person, or is upset, use transfer_call after saying that you do so.',
  },
  email: { needs: 'contact_email', text: 'Callers who would rather write can use {contact_email}. Spell it slowly.' },
  callback: { needs: 'callback_number', text: 'People who would like to call back later can use {callback_number}.' },
  rules: { text: RULES },
} as const satisfies Record<string, Paragraph>

export const TOOLS = {
  booking: { needs: 'event_type_id', names: ['find_slots', 'book'] },
  changes: { needs: 'event_type_id', names: ['find_booking', 'reschedule_booking', 'cancel_booking'] },
  transfer: { needs: 'transfer_number', names: ['transfer_call'] },
  end: { names: ['end_call'] },
} as const satisfies Record<string, { needs?: string; names: readonly string[] }>

export const toolsOf = (...names: (keyof typeof TOOLS)[]): VoiceTemplate['tools'] =>
  names.map((name) => {
    const tools = TOOLS[name]
    return { ...('needs' in tools && { needs: tools.needs }), names: [...tools.names] }
  })
