import { endpointProblems } from '../../../policy/fleet/endpoint';
import { itemKeys } from '../../../policy/fleet/fleet-items';
import { readDelivery, readFleetEvent } from '../../../policy/fleet/fleet-messages';
import { readFleetSettings } from '../../../policy/fleet/fleet-settings';
import { SETTINGS } from '../../fleet/fleet-settings';

const ENDPOINT = { tenant: 'acme', endpoint: 'orders', url: 'https://acme.example/hook', types: ['order.paid'] };

const OAUTH = { tokenUrl: 'https://login.example/token', clientId: 'shop' };

describe('an endpoint', () => {
  test('is valid with a tenant, a name, a URL and types', () => {
    expect(endpointProblems(ENDPOINT, [])).toEqual([]);
    expect(endpointProblems({ ...ENDPOINT, types: ['*'], maxPerSecond: 5, headers: { 'x-a': 'b' } }, [])).toEqual([]);
    expect(endpointProblems({ ...ENDPOINT, url: 'http://10.1.2.3/hook' }, ['10.0.0.0/8'])).toEqual([]);
  });

  test.each([
    ['tenant', { tenant: 'a/b' }, 'letters, digits'],
    ['endpoint', { endpoint: 'x'.repeat(64) }, '1 to 63'],
    ['url', { url: 'http://acme.example/hook' }, 'https'],
    ['url', { url: 'https://169.254.169.254/latest' }, 'public'],
    ['url', { url: 'https://10.1.2.3/hook' }, 'not public'],
    ['url', { url: 5 }, 'absolute http or https URL'],
    ['types', { types: [] }, '1 to 90 different types'],
    ['types', { types: ['a', 'a'] }, '1 to 90 different types'],
    ['types[0]', { types: ['a b'] }, 'letters, digits'],
    ['filter', { filter: 'x' }, 'SNS filter policy'],
    ['filter', { filter: { total: [{ bigger: 5 }] } }, 'Unrecognized match type bigger'],
    ['filter', { filter: { a: { b: ['c'] } }, filterScope: 'MessageAttributes' }, 'nested filter policy'],
    ['filter', { filter: { a: ['x'.repeat(4_096)] } }, 'at most 4096 bytes'],
    ['endpoint', { headers: { a: 'x'.repeat(32_768) } }, 'at most 32768 bytes'],
    ['authorization.tokenUrl', { authorization: { ...OAUTH, tokenUrl: 'https://10.1.2.3/' } }, 'not public'],
    ['authorization.clientId', { authorization: { ...OAUTH, clientId: '' } }, 'not empty'],
    ['authorization.client_secret', { authorization: { ...OAUTH, client_secret: 's3cr3t' } }, 'is not known'],
    ['headers.Authorization', { authorization: OAUTH, headers: { Authorization: 'x' } }, 'must be absent'],
    ['filterScope', { filterScope: 'Body' }, 'MessageAttributes or MessageBody'],
    ['maxPerSecond', { maxPerSecond: 0 }, '1 to 10000'],
    ['headers.webhook-id', { headers: { 'webhook-id': 'x' } }, 'must not replace'],
    ['retryPolicy.numRetries', { retryPolicy: { minDelayTarget: 1 } }, 'must be set'],
    ['colour', { colour: 'red' }, 'is not known: there are url, tenant, endpoint, types, filter, '],
  ])('with a wrong %s is refused', (property, wrong, rule) => {
    const problems = endpointProblems({ ...ENDPOINT, ...wrong }, []);
    expect(problems).toContainEqual(expect.objectContaining({ property, rule: expect.stringContaining(rule) }));
    expect(JSON.stringify(problems)).not.toContain('s3cr3t');
  });
});

describe('an event', () => {
  const EVENT = { id: 'e-1', tenant: 'acme', type: 'order.paid', data: '{"total":5}' };

  test('is read as a sender or a topic wrote it', () => {
    const attributes = { tenant: { Type: 'String', Value: 'acme' }, type: { Type: 'String', Value: 'order.paid' } };
    const notification = {
      Type: 'Notification',
      MessageId: 'e-1',
      TopicArn: 'arn:aws:sns:eu-west-1:111122223333:orders',
      Message: EVENT.data,
      Timestamp: '2026-01-01T00:00:00.000Z',
      MessageAttributes: attributes,
    };
    expect(readFleetEvent(JSON.stringify(EVENT))).toEqual({ kind: 'event', event: EVENT });
    expect(readFleetEvent(JSON.stringify(notification))).toEqual({ kind: 'event', event: { ...EVENT, attributes } });
  });

  test.each([
    ['the event', '{'],
    ['tenant', JSON.stringify({ ...EVENT, tenant: undefined })],
    ['type', JSON.stringify({ ...EVENT, type: 'a b' })],
    ['data', JSON.stringify({ ...EVENT, data: { total: 5 } })],
  ])('with a wrong %s is refused', (property, body) => {
    expect(readFleetEvent(body)).toMatchObject({ kind: 'problems', problems: [{ property }] });
  });

  test('for one endpoint is a delivery', () => {
    const delivery = { ...EVENT, endpoint: 'orders', eventId: 'e-1', sentAtMs: 1, attempts: 0 };
    expect(readDelivery(JSON.stringify(delivery))).toEqual(delivery);
    expect(readDelivery(JSON.stringify(EVENT))).toBeUndefined();
  });
});

test('Parked messages of an endpoint are ordered by when they are due', () => {
  const dueAt = (ms: number) => itemKeys.parked(ENDPOINT, ms, 'd').sk;
  expect(dueAt(999) < dueAt(1_000)).toBe(true);
});

test('The settings of a fleet are refused with the name of the wrong member', () => {
  expect(readFleetSettings(JSON.stringify(SETTINGS))).toEqual(SETTINGS);
  const broken = { ...SETTINGS, jitterPercent: 101, health: { ...SETTINGS.health, slots: 0 } };
  expect(() => readFleetSettings(JSON.stringify(broken))).toThrow(/jitterPercent must be .*; health\.slots must be/);
  expect(() => readFleetSettings(undefined)).toThrow('FLEET_SETTINGS must be a JSON object');
});
