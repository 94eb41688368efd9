import { allowedContentTypes, isAllowedContentType } from '../../../policy/delivery-policy/content-type';

const ENVELOPED = ['application/json', 'text/plain'];
const RAW_ONLY = [
  'application/atom+xml',
  'application/octet-stream',
  'application/soap+xml',
  'application/x-www-form-urlencoded',
  'application/xhtml+xml',
  'application/xml',
  'text/css',
  'text/csv',
  'text/html',
  'text/xml',
];

test('a notification in its envelope is JSON or plain text', () => {
  expect([...allowedContentTypes('subscription', false)].sort()).toEqual(ENVELOPED);
});

test('a raw notification may be any of twelve types', () => {
  expect([...allowedContentTypes('subscription', true)].sort()).toEqual([...ENVELOPED, ...RAW_ONLY].sort());
});

test('a topic may name only what its enveloped subscriptions may, raw or not', () => {
  expect([...allowedContentTypes('topic', false)].sort()).toEqual(ENVELOPED);
  expect([...allowedContentTypes('topic', true)].sort()).toEqual(ENVELOPED);
});

test("SNS's own default may be written out", () => {
  expect(isAllowedContentType('text/plain; charset=UTF-8', 'topic', false)).toBe(true);
  expect(isAllowedContentType('text/plain; charset=UTF-8', 'subscription', false)).toBe(true);
});

test('other parameters and letter cases are not taken', () => {
  for (const contentType of ['application/json; charset=UTF-8', 'Application/JSON', 'text/plain ', '']) {
    expect(isAllowedContentType(contentType, 'subscription', true)).toBe(false);
  }
});
