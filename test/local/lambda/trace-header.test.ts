import { Random } from '../../../local/kernel/random';
import { headerOfBatch, headerOfInvocation, invocationsSoFar, lineageId } from '../../../local/lambda/trace-header';

const ECHO = lineageId('arn:aws:lambda:us-east-1:123456789012:function:echo');
const OTHER = lineageId('arn:aws:lambda:us-east-1:123456789012:function:other');

describe('the trace header', () => {
  const next = (cause: string | undefined, id: string): string => headerOfInvocation(cause, id, new Random(1));

  test('begins a trace in the form functions see on AWS', () => {
    expect(next(undefined, ECHO)).toMatch(
      new RegExp(`^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0;Lineage=1:${ECHO}:0$`),
    );
  });

  test('keeps the root and the sampling decision of the request, and counts each function by itself', () => {
    const first = next('Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1', ECHO);
    expect(first).toMatch(/^Root=1-5759e988-bd862e3fe1be46a994272793;Parent=[0-9a-f]{16};Sampled=1;/);
    const third = next(next(first, OTHER), ECHO);
    expect(third).toMatch(new RegExp(`;Lineage=1:${ECHO}:1\\|1:${OTHER}:0$`));
    expect([invocationsSoFar(third, ECHO), invocationsSoFar(third, OTHER)]).toEqual([2, 1]);
  });

  test.each([[undefined], [''], ['Lineage=nonsense'], ['Root=1-2-3;Lineage=1:UPPERCAS:7'], ['Lineage=1:0badcafe:']])(
    'that tells of no function counts none: %p',
    header => {
      expect(invocationsSoFar(header, ECHO)).toBe(0);
    },
  );

  test('of a batch is the first trace, with the longest chain of each function', () => {
    const lineage = (...entries: string[]) => `Root=1-a-b;Sampled=0;Lineage=${entries.join('|')}`;
    const headers = [undefined, lineage(`1:${ECHO}:3`), `Root=1-c-d;Lineage=1:${ECHO}:5|1:${OTHER}:1`];
    expect(headerOfBatch(headers)).toBe(lineage(`1:${ECHO}:5`, `1:${OTHER}:1`));
    expect(headerOfBatch([undefined, 'Root=1-a-b;Sampled=1'])).toBe('Root=1-a-b;Sampled=1');
    expect(headerOfBatch([undefined])).toBeUndefined();
  });
});
