import type { Endpoint } from '../endpoint.ts'

/** The description of each tag. */
export const TAGS: Record<string, string> = {
  Contacts: 'People: their details, consent, employers, duplicates, merges and exports.',
  Companies: 'Organisations: their details, hierarchy, contacts, duplicates, merges and exports.',
  Opportunities: 'Deals with their products, people, tags, costs, billing parties, attachments and timeline.',
  Pipelines: 'Pipelines, their stages, boards and reports.',
  Products: 'The product catalogue.',
  'Supplier Catalog': 'What suppliers charge for products: prices, their validity, and the cheapest one.',
  'Product Components': 'What products consist of.',
  'Component Instances': 'What was sold of the components of products, for each opportunity.',
  'Service Requests': 'What the workspace asks of its agency or of the operator of the platform, with threads of notes.',
  Stakeholders: 'Types of stakeholders, their members, and the stakeholders of opportunities.',
  Tasks: 'Tasks and their stakeholders, completion and reopening, reminders and series.',
  'Work Orders': 'The delivery of what was sold: status, schedule, assignee, stakeholders and clashes.',
  'Work Order Statuses': 'The labels for the progress of work orders.',
  Portals: 'Pages on which clients and stakeholders see how the work is going.',
  Activities: 'Calls, emails, meetings and notes about a record.',
  Invoices: 'Invoices of opportunities and their states.',
  'Order Forms': 'Pages on which visitors order and pay: their products, taxes and payments.',
  'Universal Search': 'Search contacts, companies and opportunities with one call.',
  Filters: 'The fields and operators that filters can use, for each kind of record.',
  Lists: 'Lists of contacts, companies or opportunities: static ones with members, and live ones with a filter.',
  Messages: 'Messages to contacts: what was sent, what waits, and what failed.',
  Conversations: 'One inbox over email, SMS and WhatsApp: what is unread, who takes care of it, and what is snoozed or closed.',
  'Email Campaigns': 'Emails to an audience of contacts: content, audience, sending, recipients and unsubscribes.',
  Email: 'Conversations by email: threads and their messages, sending and replying, the log, and the senders of the workspace.',
  SMS: 'Conversations by SMS: sending, messages received, delivery, and what a text costs.',
  Phone: 'The phone numbers of the workspace.',
  Agents: 'Voice agents and text agents: their drafts, their published versions, and going back to an earlier one.',
  Voices: 'The voices that voice agents can have.',
  Transcripts: 'What was said in recordings: speakers, times, and figures for coaching.',
  'AI Instructions': 'What a program that acts with a key should know at the beginning of a session.',
  'Voice Agent Templates': 'Templates of voice agents, each with a few questions.',
  WhatsApp: 'Conversations and groups of WhatsApp: the pairing with a phone, messages, sending, and links to deals and companies.',
  Suppressions: 'Addresses to which nothing is sent.',
  'Export Templates': 'Files with chosen columns, also of related records: their templates, saved views, previews and runs.',
  Exports: 'What the files of exports can contain: the fields of filters, and the columns.',
  Imports: 'Imports of CSV files: upload, mapping, check, run and undo.',
  Automations: 'What runs by itself: triggers, conditions and steps, their versions and their runs.',
  'Auto Schedules': 'Schedules that start an automation for an audience: members, assignees of tasks, contacts or deals.',
  Scheduling: 'Event types that can be booked, and the working hours of the company and its members.',
  'Scheduling Bookings': 'Free times and bookings.',
  Mailboxes: 'The mailboxes of members, from which they send, and which receive what contacts write to them.',
  Calendars: 'The calendars of members at other providers: connecting them, and choosing what they are used for.',
  'Voice Scheduling': 'Free times and bookings as plain text, for voice agents.',
  'Auto Responders': 'What models answer to messages that are received.',
  Skills: 'Instructions for a model, its tools, and its runs.',
  'Auto Queues': 'Sequences of steps that contacts and opportunities are enrolled in.',
  Documents: 'Documents in folders, with their files and the records that they are about.',
  'Document Templates': 'Templates of documents: their sections, in order, and previews with the values of records.',
  Notepads: 'Notes in markdown: content, sections, versions, and who may see them.',
  'Agent Knowledge Bases': 'Knowledge bases that the voice provider has: copies of knowledge bases, from which voice agents answer.',
  'Knowledge Bases': 'Texts that answer questions: bases, their entries, and the search for passages.',
  'AI Knowledge': 'One search over knowledge bases, memories and records, with the source of each hit.',
  'Agent Memory': 'Facts that agents and members remember: about whom, learnt from what, and how long they hold.',
  Files: 'Files of the workspace: PDFs, public images, and confidential files.',
  Whiteboards: 'Drawing boards in the format of Excalidraw: their content, its versions, and copies.',
  'Training (Learning Hub)': 'Canvases of cards for learning: what they show, and how far each member is.',
  'Public Image Upload': 'Images that visitors upload without a key.',
  Agency: 'What an agency sees of its clients, and the commission of the agency and its team.',
  'Lead Gen Initiatives': 'Series of steps for people who were found: cadence, enrolments, and the dispatcher.',
  'Lead Generation': 'People and businesses that were found, and may become customers.',
  Reputation: 'How the workspace shows itself: its profile, reviews of clients, and case studies.',
  Company: 'The workspace’s own profile.',
  Members: 'The people who work in the workspace, their roles and invitations.',
  Settings: 'The workspace’s picklists, tag palette, birthday messages and options.',
  'Exchange rates': 'The rates by which sums in several currencies are converted into one.',
  'Lead sources': 'Where leads come from.',
  'Custom fields': 'Fields that the workspace defines for its records.',
  Approvals: 'Writes that wait for a person to approve or reject them.',
  'Agent Proposals': 'Writes that agents propose, with their reason and evidence.',
  Events: 'Records of what happened in the workspace, newest first.',
  Webhooks: 'Addresses that receive events as they happen, and addresses that other systems send to.',
  'Dead letters': 'Messages of the background that failed every time: list, inspect and replay them.',
  Credits: 'The credits that messages cost: balance, ledger and monthly usage.',
  Requests: 'The log of requests: who called what, how it ended and what it changed.',
  Jobs: 'What the background does for a request that was answered with 202: how far it has come.',
  'API keys': 'Keys, their scopes, levels and rotation.',
  'Roles and permissions': 'The roles of members, and all scopes.',
  'Customers (legacy)': 'Deprecated paths of companies.',
  'Deals (legacy)': 'Deprecated paths of opportunities.',
  'Event Schedules (legacy)': 'Deprecated paths of auto schedules.',
  'Event Queues (legacy)': 'Deprecated paths of auto queues.',
  Reference: 'The description of this API.',
}

/** The tags of the endpoints, in the order of the endpoint registry. */
export const tagsOf = (endpoints: Endpoint[]) =>
  [...new Set([...endpoints.map(({ tag }) => tag), ...(endpoints.some(({ successor }) => !successor) ? ['Reference'] : [])])].map(
    (name) => ({ name, description: TAGS[name] ?? '' }),
  )

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const isParameter = (step: string | undefined) => step?.startsWith(':') === true

/**
 * Sorts the endpoints of each tag: first the records themselves (list, create, get, update, delete), then the collections that belong to
 * them.
 */
export function inReadingOrder(endpoints: Endpoint[]): Endpoint[] {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  const collections = [...new Set(endpoints.map(collectionOf))]
  const place = (endpoint: Endpoint) => {
    const collection = collectionOf(endpoint)
    const isAction = !endpoints.some((other) => other.method === 'GET' && collectionOf(other) === collection)
    return [
      tags.indexOf(endpoint.tag),
      collection.split('/').length === 2 && !isAction ? 0 : 1,
      collections.indexOf(collection),
      isParameter(endpoint.path.split('/').at(-1)) ? 1 : 0,
      METHODS.indexOf(endpoint.method),
    ]
  }
  const places = new Map(endpoints.map((endpoint) => [endpoint, place(endpoint)]))
  return endpoints.toSorted((a, b) => compare(places.get(a) as number[], places.get(b) as number[]))
}

/** `/contacts` for `/contacts/:contact_id`. */
const collectionOf = ({ path }: Endpoint) => path.replace(/\/:\w+$/, '')

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index])
  return at === -1 ? 0 : (a[at] as number) - (b[at] as number)
}
