import { eventsFor, messagesFor, namedValues } from '../../../local/deploy-check/samples';
import { FilterPolicy, readAttributes } from '../../../policy/filter/filter-policy';

const PLACE = { account: '123456789012', region: 'us-east-1' };

/** Every sample is checked against its pattern, so it is enough that there is one. */
test.each([
  [
    {
      source: ['shop'],
      'detail-type': [{ prefix: 'Order' }],
      detail: { id: [{ exists: true }], gone: [{ exists: false }] },
    },
  ],
  [{ detail: { total: [{ numeric: ['>', 0, '<', 5] }], size: [{ numeric: ['>=', 10] }] } }],
  [{ detail: { kind: [{ 'anything-but': ['a', 'b'] }], name: [{ wildcard: 'a*b' }], ip: [{ cidr: '10.0.0.0/24' }] } }],
  [{ $or: [{ source: ['a'] }, { detail: { b: [1] } }], resources: [{ suffix: 'x' }], region: ['us-east-1'] }],
])('makes up an event for the pattern %j', pattern => {
  expect(eventsFor(pattern, PLACE)).not.toEqual([]);
});

test('makes up none for an event that cannot happen on the bus', () => {
  expect(eventsFor({ region: ['eu-west-1'] }, PLACE)).toEqual([]);
  expect(eventsFor({ source: [5] }, PLACE)).toEqual([]);
});

/** The values of the other version show whether it has become narrower. */
test.each([
  ['a value is gone', { kind: ['a', 'b'] }, { kind: ['a'] }],
  ['a value is excluded', { kind: [{ exists: true }] }, { kind: [{ 'anything-but': ['test'] }] }],
  ['a prefix is longer', { kind: [{ prefix: 'order' }] }, { kind: [{ prefix: 'order.' }] }],
  ['a range is smaller', { size: [{ numeric: ['>', 10] }] }, { size: [{ numeric: ['>', 10, '<=', 99] }] }],
  ['another attribute is wanted', { kind: ['a'] }, { kind: ['a'], size: [{ exists: true }] }],
  ['another attribute is unwanted', { kind: ['a'] }, { kind: ['a'], 'is.test': [{ exists: false }] }],
  ['an alternative is gone', { $or: [{ kind: ['a'] }, { size: [1] }] }, { kind: ['a'] }],
])('makes up a message that only the wider filter passes: %s', (_, wide, narrow) => {
  for (const scope of ['MessageAttributes', 'MessageBody'] as const) {
    const named = namedValues(
      [wide, narrow].map(FilterPolicy => ({ Resources: { Sub: { Properties: { FilterPolicy } } } })),
    );
    const messages = (filter: object) => messagesFor(new FilterPolicy(JSON.stringify(filter), scope), named);
    const rejects = new FilterPolicy(JSON.stringify(narrow), scope);
    const passed = messages(wide).map(({ body, attributes }) =>
      rejects.rejects({ filterable: readAttributes(attributes), document: body }),
    );
    expect(passed).toContainEqual(expect.stringMatching(/^(?:No)?Message/));
  }
});
