import { expect, test } from 'vitest'
import { addressKind, isIpAddress, networkOf, outsideFault } from '../../src/domain/outside-addresses.ts'

const rules = { own: ['crm.example.org'], local: ['127.0.0.1:9999', 'receiver.test'] }

/** Spellings of addresses that must never be called. */
export const HOSTILE = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.0.0.1./',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://0/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[::ffff:0:169.254.169.254]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[fd00:ec2::254]/',
  'http://metadata.google.internal/',
  'http://metadata/',
  'http://10.0.0.5/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://198.18.0.1/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://printer.local/',
  'http://intranet/',
  'http://example.com@10.0.0.5/',
  'http://user:password@example.com/',
  'https://crm.example.org/v1/contacts',
  'https://CRM.example.org./',
  'https://ｃｒｍ.example.org/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'gopher://example.com/',
  'http://example.com:22/',
  'http://example.com:25/',
  'example.com/hooks',
  `https://example.com/${'a'.repeat(2000)}`,
]

test.each(HOSTILE)('refuses %s', (url) => {
  expect(outsideFault(url, rules)).toMatch(/^must /)
})

test.each([
  'https://example.com/hooks?x=1',
  'http://example.com:8080/',
  'https://8.8.8.8/',
  'https://172.32.0.1/',
  'https://100.128.0.1/',
  'https://[2606:4700:4700::1111]/',
  'https://[::ffff:8.8.8.8]/',
  'https://müller.de/',
  'https://crm.example.org.example.com/',
  'http://127.0.0.1:9999/',
  'http://receiver.test:1234/',
])('allows %s', (url) => {
  expect(outsideFault(url, rules)).toBeUndefined()
})

test('an allowed local receiver opens no other port of its host', () => {
  expect(outsideFault('http://127.0.0.1:9998/', rules)).toMatch('a loopback address')
})

test('what a resolver returns is compared by its number', () => {
  expect(['10.1.2.3', '8.8.8.8', 'fe80::1%eth0', '2606:4700::1111', '::ffff:192.168.0.1', 'nonsense'].map(addressKind)).toEqual([
    ...['a private', undefined, 'a link-local', undefined, 'a private', undefined],
  ])
})

/** The first and the last address of each range, and the addresses beside it that are public. */
test.each([
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
  ['240.0.0.0', '255.255.255.255', undefined, undefined],
  ['::1', '::1', undefined, undefined],
  ['::', '::', undefined, undefined],
  ['100::', '100::ffff:ffff:ffff:ffff', 'ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '100:0:0:1::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '5f01::'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '64:ff9b:0:ffff:ffff:ffff:ffff:ffff', '64:ff9b:2::'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe00::'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, undefined],
])('from %s to %s no address is public', (first, last, before, after) => {
  expect([first, last].map(addressKind)).toEqual([expect.stringMatching(/^an? /), expect.stringMatching(/^an? /)])
  expect([before, after].map((address) => address && addressKind(address))).toEqual([undefined, undefined])
})

test.each(['::ffff:10.0.0.1', '::ffff:0:10.0.0.1', '::10.0.0.1', '64:ff9b::10.0.0.1', '2002:a00:1::'])('%s is private', (address) => {
  expect(addressKind(address)).toBe('a private')
  expect(addressKind(address.replace('10.', '9.').replace('a00', '900'))).toBeUndefined()
})

test.each([
  ['http://example.com:1023/', 'not 1023'],
  ['http://example.com:1024/', undefined],
  ['http://example.com:443/', undefined],
  ['https://example.com:80/', undefined],
  ['http://example.com:81/', 'not 81'],
  [`https://example.com/${'a'.repeat(1980)}`, undefined],
  [`https://example.com/${'a'.repeat(1981)}`, 'at most 2000'],
  ['https://:secret@example.com/', 'a user name or a password'],
  ['https://name@example.com/', 'a user name or a password'],
  ...['a.internal', 'a.intranet', 'a.private', 'a.corp', 'a.home', 'a.lan', 'a.arpa', 'a.onion', 'a.alt', 'a.test', 'a.invalid'].map(
    (name) => [`https://${name}/`, 'a private network'],
  ),
  ...['a.localdomain', 'a.kubernetes', 'a.svc', 'a.metadata', 'single'].map((name) => [`https://${name}/`, 'a private network']),
  ['https://mylocal.com/', undefined],
  ['https://a.notlocal/', undefined],
  ['https://sub.crm.example.org/', undefined],
] as [string, string | undefined][])('%s: %s', (url, fault) => {
  if (fault) expect(outsideFault(url, rules)).toContain(fault)
  else expect(outsideFault(url, rules)).toBeUndefined()
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['::1:2', '0:0:0:0::/64'],
  ['1::ffff:203.0.113.7', '1:0:0:0::/64'],
  ['unknown', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('what is an address', () => {
  const addresses = ['1.2.3.4', '[::1]', '::', '1:2:3:4:5:6:7:8', '::1.2.3.4', '1::8', '1:2:3:4:5:6:7::']
  const others = ['1.2.3', '1.2.3.256', '1.2.3.4.5', 'a.b.c.d', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '::1.2.3.256']
  const more = ['12345::', 'g::', '1:2:3:4:5:6:7::8']
  expect(addresses.filter((address) => !isIpAddress(address))).toEqual([])
  expect([...others, ...more].filter(isIpAddress)).toEqual([])
})
