import { expect, test } from 'vitest'
import { addressKind, outsideFault } from '../../src/domain/outside-addresses.ts'

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
