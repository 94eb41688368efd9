import { sampleOf } from '../../../local/deploy-check/sources';

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
  expect(sampleOf(pattern, PLACE)).toBeDefined();
});

test('makes up none for an event that cannot happen on the bus', () => {
  expect(sampleOf({ region: ['eu-west-1'] }, PLACE)).toBeUndefined();
  expect(sampleOf({ source: [5] }, PLACE)).toBeUndefined();
});
