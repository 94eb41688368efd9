import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { isCallable, renderCall } from '../../../diagnosis/fixes/render';

const call = { service: 'sqs', operation: 'SetQueueAttributes', input: { QueueUrl: 'https://example.com/1/q' } };

test('a call is rendered as the command has it', () => {
  expect(renderCall(call)).toBe(
    `aws sqs set-queue-attributes --cli-input-json '{"QueueUrl":"https://example.com/1/q"}'`,
  );
});

test.each([
  ['PutKeyPolicy', 'put-key-policy'],
  ['PutMetricAlarm', 'put-metric-alarm'],
  ['PutFunctionEventInvokeConfig', 'put-function-event-invoke-config'],
])('%s is %s', (operation, command) => {
  expect(renderCall({ ...call, operation })).toContain(` ${command} `);
});

test('where it is made is said before what is made', () => {
  expect(renderCall(call, { region: 'eu-west-1', profile: 'night shift' })).toMatch(
    /^aws sqs set-queue-attributes --profile 'night shift' --region eu-west-1 --cli-input-json /,
  );
});

/** What a shell makes of the command: its words, each behind the last by a byte no text has. */
function wordsOf(commands: readonly string[]): string[][] {
  const script = ['aws() { printf "%s\\0" "$@"; printf "\\n"; }', ...commands].join('\n');
  const out = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  return out.split('\0\n').map(line => line.split('\0'));
}

test('whatever is in it, a shell hands on the very input', () => {
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 12 }), { seed: 7, numRuns: 200 });
  const nasty = [`'; rm -rf ~ #`, '$(id)', '`id`', '\u202e', '\n', '!!', '\\'];
  const inputs = [...texts, ...nasty].map(Policy => ({ Policy }));
  const commands = inputs.map(input => renderCall({ ...call, input }));
  expect(commands.every(command => /^[\x20-\x7e]*$/.test(command))).toBe(true);
  const received = wordsOf(commands).slice(0, inputs.length);
  expect(received.map(words => JSON.parse(words.at(-1) ?? ''))).toEqual(inputs);
});

test('what names something only a deployment tells cannot be called', () => {
  expect(isCallable(call)).toBe(true);
  expect(isCallable({ ...call, input: { QueueUrl: 'https://example.com/<account>/q' } })).toBe(false);
});
