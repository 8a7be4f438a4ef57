import {
  ABOUT,
  AGENT_NAME,
  BUSINESS,
  CALLBACK,
  CONTACT_EMAIL,
  EVENT_TYPE,
  PARAGRAPHS,
  person,
  TRANSFER,
  toolsOf,
} from './template-parts.ts'
import type { VoiceTemplate } from './templates.ts'

const { about, booking, changes, transfer, email, callback, rules } = PARAGRAPHS

export const SALES_TEMPLATES: VoiceTemplate[] = [
  {
    slug: 'lead-qualifier',
    name: 'Lead qualifier',
    category: 'sales',
    direction: 'inbound',
    description: 'Answers new enquiries, finds out what is needed, and books a first appointment.',
    includes: ['Asks what is needed, where, and by when', 'Books an appointment', 'Transfers to a person'],
    questions: [
      ...[BUSINESS, AGENT_NAME, ABOUT],
      {
        key: 'qualifying_questions',
        label: 'What must be known of a lead?',
        type: 'long_text',
        required: false,
        default: 'What is needed, where, by when, and the budget',
      },
      ...[EVENT_TYPE, TRANSFER],
    ],
    greeting: '{business_name}, this is {agent_name}. How can I help?',
    prompt: [
      person('You answer calls of people who may become customers.'),
      ...[about, { text: 'Find out, one question after the other: {qualifying_questions}. Then repeat what you have understood.' }],
      ...[booking, transfer, rules],
    ],
    tools: toolsOf('booking', 'transfer', 'end'),
  },
  {
    slug: 'new-lead-call',
    name: 'Call to a new lead',
    category: 'sales',
    direction: 'outbound',
    description: 'Calls somebody who has just asked for information, and books an appointment.',
    includes: ['Refers to the enquiry', 'Books an appointment', 'Names a number to call back'],
    questions: [
      ...[BUSINESS, AGENT_NAME, ABOUT],
      { key: 'offer', label: 'What did people ask for?', type: 'text', required: false, default: 'information about our services' },
      ...[EVENT_TYPE, CALLBACK],
    ],
    greeting: 'Hello, this is {agent_name} of {business_name}. You asked for {offer}. Is this a good moment?',
    prompt: [
      person('You call people who have asked for {offer}. If it is no good moment, ask when to call again and say goodbye.'),
      ...[about, booking, callback, { text: 'If somebody wants no more calls, apologise, confirm it, and end the call.' }, rules],
    ],
    tools: toolsOf('booking', 'end'),
  },
  {
    slug: 'quote-follow-up',
    name: 'Follow-up of a quote',
    category: 'sales',
    direction: 'outbound',
    description: 'Asks customers who have a quote whether anything is unclear.',
    includes: ['Asks about open questions', 'Notes objections', 'Transfers to a person', 'Books an appointment'],
    questions: [
      ...[BUSINESS, AGENT_NAME],
      { key: 'quote_validity', label: 'How long are quotes valid?', type: 'text', required: false, default: '30 days' },
      ...[EVENT_TYPE, TRANSFER, CALLBACK],
    ],
    greeting: 'Hello, this is {agent_name} of {business_name}. I am calling about the quote that we have sent you.',
    prompt: [
      person('You call customers who have received a quote. Ask whether they have read it, and what is unclear.'),
      {
        text:
          'Quotes are valid for {quote_validity}. Do not change a quote and offer no discount: ' +
          'say that a colleague will call about it.',
      },
      ...[booking, transfer, callback, rules],
    ],
    tools: toolsOf('booking', 'transfer', 'end'),
  },
]

export const SERVICE_TEMPLATES: VoiceTemplate[] = [
  {
    slug: 'receptionist',
    name: 'Receptionist',
    category: 'service',
    direction: 'inbound',
    description: 'Answers the phone, answers questions, and takes care of bookings.',
    includes: ['Answers questions about the business', 'Books, moves and cancels appointments', 'Transfers to a person'],
    questions: [BUSINESS, AGENT_NAME, { ...ABOUT, required: true }, EVENT_TYPE, TRANSFER, CONTACT_EMAIL],
    greeting: '{business_name}, {agent_name} speaking.',
    prompt: [person('You answer the phone.'), ...[about, booking, changes, transfer, email, rules]],
    tools: toolsOf('booking', 'changes', 'transfer', 'end'),
  },
  {
    slug: 'after-hours',
    name: 'After hours',
    category: 'service',
    direction: 'inbound',
    description: 'Takes messages when nobody is there, and transfers emergencies.',
    includes: ['Takes a message', 'Transfers emergencies', 'Books an appointment'],
    questions: [
      ...[BUSINESS, AGENT_NAME],
      { key: 'opening_hours', label: 'When is somebody there?', type: 'text', required: true, default: null },
      { key: 'emergencies', label: 'What is an emergency?', type: 'long_text', required: false, default: 'A danger to people or property' },
      ...[EVENT_TYPE, TRANSFER],
    ],
    greeting: '{business_name}. We are closed at the moment; I am {agent_name} and take your message.',
    prompt: [
      person('You answer calls outside opening hours, which are: {opening_hours}. Take the name, the number and the reason of the call.'),
      { needs: 'transfer_number', text: 'Only an emergency is transferred, with transfer_call. An emergency is: {emergencies}.' },
      ...[booking, rules],
    ],
    tools: toolsOf('booking', 'transfer', 'end'),
  },
  {
    slug: 'appointment-confirmation',
    name: 'Confirmation of an appointment',
    category: 'service',
    direction: 'outbound',
    description: 'Calls before an appointment, confirms it, or moves it.',
    includes: ['Confirms an appointment', 'Moves or cancels it', 'Names a number to call back'],
    questions: [
      ...[BUSINESS, AGENT_NAME],
      { key: 'preparation', label: 'What should people prepare or bring?', type: 'long_text', required: false, default: null },
      ...[EVENT_TYPE, CALLBACK],
    ],
    greeting: 'Hello, this is {agent_name} of {business_name}, about your appointment.',
    prompt: [
      person('You call people who have an appointment, and ask whether they are coming.'),
      { needs: 'preparation', text: 'Tell them what to prepare: {preparation}' },
      ...[changes, callback, rules],
    ],
    tools: [...toolsOf('changes', 'end'), { needs: 'event_type_id', names: ['find_slots'] }],
  },
]

export const FEEDBACK_TEMPLATES: VoiceTemplate[] = [
  {
    slug: 'review-request',
    name: 'Request for a review',
    category: 'reputation',
    direction: 'outbound',
    description: 'Thanks customers after a job, and asks for a public review.',
    includes: ['Asks how it was', 'Asks for a review', 'Passes complaints on'],
    questions: [
      ...[BUSINESS, AGENT_NAME],
      { key: 'review_site', label: 'Where should people write a review?', type: 'text', required: false, default: 'our page on Google' },
      ...[TRANSFER, CALLBACK],
    ],
    greeting: 'Hello, this is {agent_name} of {business_name}. I am calling to thank you, and have two short questions.',
    prompt: [
      person('You call customers after their job is done. Ask how it was.'),
      {
        text:
          'Ask everybody, whatever they think, whether they would write an honest review on {review_site}. ' +
          'Offer nothing in return for it.',
      },
      ...[transfer, callback, rules],
    ],
    tools: toolsOf('transfer', 'end'),
  },
  {
    slug: 'complaint-line',
    name: 'Complaint line',
    category: 'reputation',
    direction: 'inbound',
    description: 'Listens to complaints, notes what happened, and says what is next.',
    includes: ['Listens and notes', 'Says when somebody calls back', 'Transfers to a person'],
    questions: [
      ...[BUSINESS, AGENT_NAME],
      {
        key: 'response_time',
        label: 'By when does somebody call back?',
        type: 'text',
        required: false,
        default: 'the end of the next business day',
      },
      ...[TRANSFER, CONTACT_EMAIL],
    ],
    greeting: '{business_name}, this is {agent_name}. I am listening.',
    prompt: [
      person('You take complaints. Let people finish, say that you are sorry for the trouble, and admit no fault.'),
      { text: 'Find out what happened, when, and what would help. Say that somebody calls back by {response_time}.' },
      ...[transfer, email, rules],
    ],
    tools: toolsOf('transfer', 'end'),
  },
  {
    slug: 'satisfaction-survey',
    name: 'Satisfaction survey',
    category: 'feedback',
    direction: 'outbound',
    description: 'Asks three questions about a service, with marks from 1 to 10.',
    includes: ['Asks for marks', 'Asks for the reason', 'Passes complaints on'],
    questions: [
      ...[BUSINESS, AGENT_NAME],
      {
        key: 'topics',
        label: 'What should be marked?',
        type: 'long_text',
        required: false,
        default: 'the quality, the punctuality, and how likely they are to recommend us',
      },
      TRANSFER,
    ],
    greeting: 'Hello, this is {agent_name} of {business_name}. May I ask you three short questions about our service?',
    prompt: [
      person('You ask customers what they think. If they have no time, thank them and end the call.'),
      { text: 'Ask for a mark from 1 to 10 for each of these, and below 7 for the reason: {topics}.' },
      ...[transfer, rules],
    ],
    tools: toolsOf('transfer', 'end'),
  },
  {
    slug: 'feedback-line',
    name: 'Feedback line',
    category: 'feedback',
    direction: 'inbound',
    description: 'A number that customers call to say what was good or bad.',
    includes: ['Notes praise and criticism', 'Asks for permission to call back', 'Transfers to a person'],
    questions: [BUSINESS, AGENT_NAME, ABOUT, TRANSFER, CONTACT_EMAIL],
    greeting: 'Thank you for calling {business_name}. I am {agent_name}: what would you like to tell us?',
    prompt: [
      person('You take what customers would like to say about the business.'),
      { text: 'Ask what was good and what could be better, and whether somebody may call back. Repeat what you have understood.' },
      ...[about, transfer, email, rules],
    ],
    tools: toolsOf('transfer', 'end'),
  },
]
