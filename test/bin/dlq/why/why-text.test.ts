import { depthsIn } from '../../../../bin/dlq/letters/each-letter';
import { whyDocument } from '../../../../bin/dlq/why/why-document';
import { whyText } from '../../../../bin/dlq/why/why-text';
import { explain } from '../../../../diagnosis/causes/explain';
import { DEAD, evidenceOf, seen, T0 } from '../../../diagnosis/causes/evidence';
import { functionArn, inventoryOf, lambda, mapping, queue, queueArn } from '../../../diagnosis/inventories';

const BILL = functionArn('bill');
const SITE = { region: 'eu-west-1', options: {} };

/** Ten letters of a queue, and a function's log that has so many lines of each error. */
function knownValue(errors: Readonly<Record<string, number>>) {
  const redrivePolicy = { deadLetterTargetArn: DEAD, maxReceiveCount: 1 };
  const messages = Object.entries(errors).flatMap(([error, count]) => Array.from({ length: count }, () => error));
  const evidence = evidenceOf({
    messages: Array.from({ length: 10 }, (_, at) =>
      seen('work', { messageId: `letter-${at}`, movedFromArn: queueArn('work') }),
    ),
    inventory: inventoryOf({
      queues: [queue('dead'), queue('work', { redrivePolicy })],
      functions: [lambda('bill')],
      mappings: [mapping('bill', 'work')],
    }),
    functions: [
      {
        functionArn: BILL,
        logGroupName: '/aws/lambda/bill',
        lines: messages.map((error, at) => ({ atMs: T0 + at, message: `[ERROR] ${error}` })),
      },
    ],
  });
  const depths = depthsIn({});
  const gathered = {
    queue: { name: 'dead', arn: DEAD, url: 'https://sqs.example.com/dead', isFifo: false, attributes: {} },
    evidence,
    window: { fromMs: T0, toMs: T0 },
    depths,
    look: { seen: 10, end: 'empty' as const, unseen: depths },
    gaps: [],
  };
  const explanation = explain(evidence);
  return {
    text: whyText(gathered, explanation, { site: SITE, width: 120 }),
    document: whyDocument(gathered, explanation, SITE),
  };
}

describe('What dlo dlq why says of a consumer that failed', () => {
  test('in one way is said of all its letters', () => {
    const { text, document } = knownValue({ 'Error: no tax rate': 6 });
    expect(text).toContain('\n1. 10 letters (100 %): The function bill failed: Error: no tax rate\n');
    expect(text).not.toContain('One of');
    expect(document.causes).toEqual([expect.objectContaining({ isInferred: false, oneOf: [] })]);
  });

  test('in two ways is probably the more frequent, and each way is told with its number', () => {
    const { text, document } = knownValue({ 'Error: no tax rate': 6, 'Error: indigestible': 4 });
    expect(text).toContain(
      '\n1. 10 letters, each of one of 2 failures: probably: The function bill failed: Error: no tax rate\n',
    );
    expect(text).not.toContain('100 %');
    expect(text).toMatch(
      / One of {3}6 times, last .* UTC: Error: no tax rate\n +4 times, last .* UTC: Error: indigestible\n/,
    );
    expect(text).toContain('mend all of them first');
    expect(document.causes).toEqual([
      expect.objectContaining({
        isInferred: true,
        oneOf: [
          expect.objectContaining({ code: 'Error: no tax rate', times: 6 }),
          expect.objectContaining({ code: 'Error: indigestible', times: 4 }),
        ],
      }),
    ]);
  });

  test('in very many ways is told by the most frequent', () => {
    const errors = Object.fromEntries(Array.from('abcdefgh', (name, at) => [`Error: ${name}`, 10 - at]));
    expect(knownValue(errors).text).toMatch(/6 times, last .*: Error: e\n +and 3 more\n/);
  });
});
