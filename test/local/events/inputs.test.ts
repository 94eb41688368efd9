import type { Target } from '@aws-sdk/client-eventbridge';
import { EventsFixture } from './events-fixture';

/** What a queue gets of an event with this detail when it is a target with this input. */
async function bodyOf(input: Partial<Target>, detail: unknown = { command: 'update', items: [{ id: 1 }, { id: 2 }] }) {
  const aws = new EventsFixture();
  const queue = aws.queue('Orders');
  aws.rule('orders', [{ Arn: queue, ...input }]);
  const id = aws.put(detail);
  await aws.settle();
  return aws.receive(queue)[0]?.body.replace(id, 'ID');
}

const transformer = (InputTemplate: string, InputPathsMap: Record<string, string> = {}) => ({
  InputTransformer: { InputTemplate, InputPathsMap },
});

describe('the input of a target', () => {
  it('may be its own', async () => {
    expect(await bodyOf({ Input: '"hello"' })).toBe('"hello"');
  });

  it.each([
    ['$.detail', '{"command":"update","items":[{"id":1},{"id":2}]}'],
    ['$.detail.command', '"update"'],
    ['$.detail.items[1]', '{"id":2}'],
    ['$.detail.items[*].id', '[1,2]'],
    ['$.detail.items', '[{"id":1},{"id":2}]'],
    ['$.detail-type', '"Order Placed"'],
    ['$.detail.nothing', 'null'],
  ])('may be a part of the event: %s', async (InputPath, body) => {
    expect(await bodyOf({ InputPath })).toBe(body);
  });
});

describe('a template', () => {
  const paths = { type: '$.detail-type', command: '$.detail.command', none: '$.detail.none', items: '$.detail.items' };

  // Recorded on AWS: the quotation marks stay, and what is not there is empty.
  it('of one string keeps its quotation marks', async () => {
    expect(await bodyOf(transformer('"Event of <type>, info <command>, <none>"', paths))).toBe(
      '"Event of Order Placed, info update, "',
    );
  });

  it('may begin as JSON does and be a string', async () => {
    expect(await bodyOf(transformer('"{[/Check <type>"', paths))).toBe('"{[/Check Order Placed"');
  });

  it('of JSON has values in the places of its variables', async () => {
    expect(await bodyOf(transformer('{"a": <command>, "b": <none>, "c": <items>}', paths))).toBe(
      '{"a": "update", "b": "", "c": [{"id":1},{"id":2}]}',
    );
  });

  it('of JSON tells null from what is not there', async () => {
    const body = await bodyOf(transformer('{"a": <command>, "b": <none>}', paths), { command: null });
    expect(body).toBe('{"a": null, "b": ""}');
  });

  it('has variables inside the strings of JSON without quotation marks', async () => {
    expect(await bodyOf(transformer('{"a": "it is <command> \\"<command>\\"", "b": "<items>"}', paths))).toBe(
      '{"a": "it is update \\"update\\"", "b": "[{id:1},{id:2}]"}',
    );
  });

  it('knows the rule and the time', async () => {
    const template = '"<aws.events.rule-arn> <aws.events.rule-name> <aws.events.event.ingestion-time>"';
    expect(await bodyOf(transformer(template))).toBe(
      '"arn:aws:events:us-east-1:123456789012:rule/orders orders 2026-01-01T00:00:00.000Z"',
    );
  });

  it('knows the whole event, and the event without its detail as AWS is on record with', async () => {
    const template = '{"originalEvent": <aws.events.event>, "originalEventJson": <aws.events.event.json>}';
    const shared = { id: 'ID', account: '123456789012', region: 'us-east-1', resources: [], version: '0' };
    const time = '2026-01-01T00:00:00Z';
    const body: unknown = JSON.parse(
      (await bodyOf(transformer(template), {}))?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID') ?? '',
    );
    expect(body).toEqual({
      originalEvent: { ...shared, time, detailType: 'Order Placed', source: 'rental' },
      originalEventJson: { ...shared, time, 'detail-type': 'Order Placed', source: 'rental', detail: {} },
    });
  });
});
