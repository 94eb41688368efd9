import { parseFilterPattern } from '../../../local/logs/filter/filter-pattern';

const RECORD = JSON.stringify({
  status: 'FAILURE',
  delivery: { statusCode: 403, attempts: 1, destination: 'arn:aws:sqs:us-east-1:123456789012:Rental', ok: false },
  tags: ['first', 'second'],
  nothing: null,
  'order-status': 'confirmed',
});

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
test.each<[pattern: string, matches: boolean]>([
  ['{ $.status = "FAILURE" }', true],
  ['{ $.status = FAILURE }', true],
  ['{ $.status = "SUCCESS" }', false],
  ['{ $.status != "SUCCESS" }', true],
  ['{ $.absent != "SUCCESS" }', false],
  ['{ $.delivery.statusCode = 403 }', true],
  ['{ $.delivery.statusCode >= 500 }', false],
  ['{ $.delivery.statusCode > 400 && $.delivery.statusCode < 500 }', true],
  ['{ $.delivery.statusCode = 500 || $.delivery.attempts = 1 }', true],
  ['{ ($.status = "SUCCESS" || $.delivery.attempts = 1) && $.delivery.statusCode = 500 }', false],
  ['{ $.delivery.destination = "*:Rental" }', true],
  ['{ $.delivery.destination = "arn:aws:sns:*" }', false],
  ['{ $.delivery.ok IS FALSE }', true],
  ['{ $.nothing IS NULL }', true],
  ['{ $.absent NOT EXISTS }', true],
  ['{ $.status NOT EXISTS }', false],
  ['{ $.tags[1] = "second" }', true],
  ['{ $.order-status = "confirmed" }', true],
  ['{ $[\'order-status\'] = "confirmed" }', true],
  ['{ $.status = 403 }', false],
  ['FAILURE', true],
  ['FAILURE Rental', true],
  ['FAILURE SUCCESS', false],
  ['?SUCCESS ?FAILURE', true],
  ['FAILURE -Rental', false],
  ['"arn:aws:sqs"', true],
  ['', true],
])('%s', (pattern, matches) => {
  expect(parseFilterPattern(pattern)(RECORD)).toBe(matches);
});

test('a condition on JSON never holds for a line of plain text', () => {
  expect(parseFilterPattern('{ $.status NOT EXISTS }')('START RequestId: 1')).toBe(false);
});

test.each([
  ['{ $.a = }', 'Invalid metric filter pattern: { $.a = }'],
  ['{ a = 1 }', 'Invalid metric filter pattern'],
  ['{ $.a = 1', 'Invalid metric filter pattern'],
  ['{ $.a = 1 } }', 'Invalid metric filter pattern'],
  ['{ $.a < "x" }', 'Invalid metric filter pattern'],
  ['{ ($.a = 1 }', 'Invalid metric filter pattern'],
  ['[ip, user, status=4*]', 'does not implement filter patterns of space-separated columns'],
  ['%ERROR.*%', 'does not implement regular expressions'],
])('%s is refused', (pattern, text) => {
  expect(() => parseFilterPattern(pattern)).toThrow(text);
});
