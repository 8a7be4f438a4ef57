import { messageOf } from '../../../dev/whatsapp-messages.ts'
import { postmark } from '../../../src/features/email/provider/postmark.ts'
import { postmarkBroadcast } from '../../../src/features/email/provider/postmark-broadcast.ts'
import { postmarkDetails } from '../../../src/features/email/provider/postmark-details.ts'
import { postmarkSuppressions } from '../../../src/features/email/provider/postmark-suppressions.ts'
import { twilioSms } from '../../../src/features/sms/provider/twilio.ts'
import { twilioCompliance } from '../../../src/features/sms/provider/twilio-compliance.ts'
import { twilioNumbers } from '../../../src/features/sms/provider/twilio-numbers.ts'
import { evolution } from '../../../src/features/whatsapp/provider/evolution.ts'
import { run, TIMEOUT } from './runs.ts'

const EMAIL = {
  from: 'Acme <hello@acme.test>',
  to: 'ana@example.com',
  subject: 'News',
  text: 'Hi',
  html: '<p>Hi</p>',
  tag: 'invitation',
  metadata: { attempt_id: 'a-1' },
}
const broadcast = (to: string) => ({
  ...EMAIL,
  to,
  reply_to: null,
  unsubscribe_url: 'https://api.example.com/unsubscribe/1',
  tracking: { opens: true, clicks: true },
  metadata: { campaign: 'c', recipient: to },
})

export const email = run(
  'email',
  (at, { url, token }) => {
    const options = { url: at(url), token, ...TIMEOUT }
    return {
      mail: postmark(options),
      broadcasts: postmarkBroadcast(options),
      details: { of: postmarkDetails(options) },
      suppressions: postmarkSuppressions(options),
    }
  },
  {
    send: ({ mail }) => mail.send(EMAIL),
    refused: ({ mail }) => mail.send({ ...EMAIL, to: 'nobody' }),
    find: ({ mail }) => mail.find('attempt_id', 'a-1'),
    findNothing: ({ mail }) => mail.find('attempt_id', 'a-2'),
    sendBatch: ({ broadcasts }) => broadcasts.sendBatch([broadcast('ana@example.com'), broadcast('nobody'), broadcast('bo@example.com')]),
    findBatch: async ({ broadcasts }) => [...(await broadcasts.findBatch('campaign', 'c', 'recipient'))],
    details({ details }, emulator, { send }) {
      emulator.events.set(send.message_id, [
        { Type: 'Delivered', ReceivedAt: '2026-11-02T08:00:00Z', Details: { DeliveryMessage: 'ok' } },
        { Type: 'LinkClicked', ReceivedAt: '2026-11-02T09:00:00Z', Details: { Link: 'https://example.com' } },
      ])
      return details.of(send.message_id)
    },
    list({ suppressions }, emulator) {
      emulator.suppressions.add('broadcast', 'gone@example.com', 'SpamComplaint')
      return suppressions.list(new Date(Date.now() - 86_400_000))
    },
    lift: async ({ suppressions }) => [...(await suppressions.lift(['gone@example.com', 'other@example.com'])).keys()],
    lastTo: ({ suppressions }) => suppressions.lastTo('bo@example.com', 'broadcast'),
  },
)

const SMS = { from: '+61491571570', to: '+61412345678', body: 'Hi – bye', status_callback: 'https://api.example.com/sms-events/w/m' }
const since = () => new Date(Date.now() - 60_000)
const NUMBER = {
  phone_number: '+12025550101',
  friendly_name: 'Office',
  sms_url: 'https://api.example.com/s',
  voice_url: 'https://api.example.com/v',
  status_url: 'https://api.example.com/c',
  address: null,
  bundle: null,
}
const ADDRESS = {
  name: 'address-1',
  customer_name: 'Acme',
  street: '1 George St',
  street_secondary: null,
  city: 'Sydney',
  region: 'NSW',
  postal_code: '2000',
  country: 'AU',
}
const bundle = (address: string) => ({
  name: 'bundle-1',
  email: 'ana@example.com',
  country: 'GB',
  number_type: 'local',
  end_user_type: 'business',
  status_url: 'https://api.example.com/b',
  end_user: { business_name: 'Acme' },
  documents: [{ type: 'utility_bill', attributes: { name: 'Bill' }, address_sids: [address] }],
})

export const sms = run(
  'sms',
  (at, { url, account, token }) => {
    const options = { url: at(url), account, token, ...TIMEOUT }
    return {
      messages: twilioSms(options),
      numbers: twilioNumbers(options),
      compliance: twilioCompliance({ ...options, complianceUrl: at(url) }),
    }
  },
  {
    send: ({ messages }) => messages.send(SMS),
    refused: ({ messages }) => messages.send({ ...SMS, to: 'nobody' }),
    find: ({ messages }) => messages.find(SMS, since()),
    media({ messages }, emulator) {
      const file = { bytes: Buffer.from('a picture'), type: 'image/png' }
      emulator.inbound({ ...SMS, url: 'https://api.example.com', sid: `MM${'1'.repeat(32)}`, media: [file] })
      const path = [...emulator.media.files.keys()].at(-1) as string
      return messages.media(path.replace('/Messages/', ''), 1_000)
    },
    search: ({ numbers }) =>
      numbers
        .search({ country: 'AU', type: 'Mobile', contains: '157' })
        .then((found) => found.filter(({ phone_number }) => phone_number !== '+61491570999').map(({ capabilities }) => capabilities.sms)),
    buy: ({ numbers }) => numbers.buy(NUMBER),
    buyRefused: ({ numbers }) => numbers.buy({ ...NUMBER, phone_number: '+61491571570' }),
    findNumber: ({ numbers }) => numbers.findNumber(NUMBER.phone_number),
    setTrunk: ({ numbers }, _, { buy }) => numbers.setTrunk(buy.number.id, 'TK0'),
    createAddress: ({ compliance }) => compliance.createAddress(ADDRESS),
    findAddress: ({ compliance }) => compliance.findAddress(ADDRESS.name),
    createBundle({ compliance }, emulator, { createAddress }) {
      const others = Array.from({ length: 120 }, (_, n) => ({
        sid: `IT${n}`,
        friendly_name: `other ${n}`,
        type: 'business',
        attributes: {},
        created_at: '2026-11-02T08:00:00Z',
      }))
      if (emulator.compliance.endUsers.length === 0) emulator.compliance.endUsers.push(...others)
      return compliance.createBundle(bundle(createAddress.id), false)
    },
    createBundleAgain: ({ compliance }, _, { createAddress }) => compliance.createBundle(bundle(createAddress.id), true),
    bundle: ({ compliance }, _, { createBundle }) => compliance.bundle(createBundle.id),
    rejected({ compliance }, emulator, { createBundle }) {
      const { bundles, documents } = emulator.compliance
      Object.assign(bundles[0]!, { status: 'twilio-rejected' })
      Object.assign(documents[0]!, { status: 'rejected', failure_reason: 'The document is not readable' })
      return compliance.bundle(createBundle.id)
    },
    evaluate: ({ compliance }, _, { createBundle }) => compliance.evaluate(createBundle.id),
    evaluations: ({ compliance }, _, { createBundle }) => compliance.evaluations(createBundle.id),
    deleteBundle: ({ compliance }) => compliance.deleteBundle({ name: 'bundle-1', id: null }),
    parts: async (_, emulator) => [
      emulator.compliance.endUsers.length,
      emulator.compliance.documents.length,
      emulator.compliance.bundles.length,
    ],
    createSecond: ({ compliance }, _, { createAddress }) => compliance.createBundle(bundle(createAddress.id), false),
    submit: ({ compliance }, _, { createSecond }) => compliance.submit(createSecond.id),
    deleteAddress: ({ compliance }) => compliance.deleteAddress({ name: 'address-2', id: null }),
    release: ({ numbers }, _, { buy }) => numbers.release(buy.number.id),
  },
  ['setTrunk', 'release'],
)

const KEY = { id: 'ABC', jid: '61400000002@s.whatsapp.net', from_me: false, participant: null }
const GROUP = '120363000000000001@g.us'
const SUBSCRIPTION = { url: 'https://api.example.com/whatsapp' }

export const whatsapp = run(
  'whatsapp',
  (at, { url, key }) => ({ phones: evolution({ url: at(url), key, ...TIMEOUT }) }),
  {
    missing: ({ phones }) => phones.state('phone'),
    create: ({ phones }) => phones.create('phone', SUBSCRIPTION),
    connect: ({ phones }) => phones.connect('phone'),
    connecting: ({ phones }) => phones.state('phone'),
    state({ phones }, { world }) {
      const one = world.connections.get('phone')
      if (one?.state !== 'open') world.scan(one as never)
      return phones.state('phone')
    },
    subscribe: ({ phones }) => phones.subscribe('phone', SUBSCRIPTION),
    isSubscribed: ({ phones }) => phones.isSubscribed('phone', SUBSCRIPTION),
    send: ({ phones }) => phones.send('phone', { to: '61400000002', text: 'Grüße' }),
    sendFile: ({ phones }) =>
      phones.send('phone', { to: '61400000002', text: '', file: { name: 'a.txt', content_type: 'text/plain', content: 'SGk=' } }),
    refused({ phones }, { world }) {
      world.unknownNumbers.add('+61400000003')
      return phones.send('phone', { to: '61400000003', text: 'Hello' })
    },
    react({ phones }, { world }) {
      const one = world.connections.get('phone')
      if (one && !world.find(one, { id: 'ABC', remoteJid: KEY.jid, fromMe: false }))
        world.receive(one, messageOf({ id: 'ABC', text: 'Größe?' }))
      return phones.react('phone', KEY, '👍')
    },
    markRead: ({ phones }) => phones.markRead('phone', [KEY]),
    media({ phones }, { world }, { sendFile }) {
      world.files.set(sendFile.message_id, 'SGk=')
      return phones.media('phone', sendFile.message_id, 1_000)
    },
    search: ({ phones }) =>
      phones
        .search('phone', { from: since(), to: new Date(Date.now() + 60_000), page: 1 })
        .then(({ pages, messages }) => [pages, messages.filter(({ key }) => (key as { fromMe: boolean }).fromMe).length]),
    groups({ phones }, { world }) {
      const one = world.connections.get('phone')
      const members = [
        { id: '61400000002@s.whatsapp.net', admin: 'superadmin' },
        { id: '1234@lid', phoneNumber: '61400000004@s.whatsapp.net' },
      ]
      if (one) world.setGroup(one, GROUP, 'Küche', members as never)
      return phones.groups('phone')
    },
    group: ({ phones }) => phones.group('phone', GROUP),
    noGroup: ({ phones }) => phones.group('phone', '120363000000000009@g.us'),
    remove: ({ phones }) => phones.remove('phone'),
    removeAgain: ({ phones }) => phones.remove('phone'),
  },
  ['subscribe', 'markRead', 'remove', 'removeAgain'],
)
