import type { Construct } from 'constructs';
import * as library from '../../lib';
import { newStack } from './support';
import { callsOf, STRUCTS_FROM_US, unreachedStructs, type WrongCall, wrongCalls } from './wrong-shapes/calls';
import { SAMPLES } from './wrong-shapes/samples';

/** The error of a call, or why it is not the usual one. */
function complaintAbout({ what, property, call }: WrongCall): string | undefined {
  try {
    call();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [head = '', ...lines] = message.split('\n');
    const isUsual = / has \d+ problems?:$/.test(head) && lines.every(line => /^ {2}- \S+ must .*, got ./.test(line));
    return isUsual && lines.some(line => line.startsWith(`  - ${property} must`)) ? undefined : `${what}: ${message}`;
  }
  return `${what}: no error`;
}

const count = (scope: Construct) => scope.node.root.node.findAll().length;

/**
 * Every parameter of every constructor and method, and every property that we declare, as the jsii assembly lists
 * them. Those that aws-cdk-lib declares are aws-cdk-lib's to check.
 */
describe('Undefined, null, empty and wrongly shaped values give the usual error, and nothing is created, in', () => {
  test.each(callsOf(library))('$name', ({ prepare }) => {
    const stack = newStack();
    const { call, parameters } = prepare(stack, SAMPLES);
    const before = count(stack);
    const wrong = [...wrongCalls(call, parameters)];
    expect(wrong.flatMap(it => complaintAbout(it) ?? [])).toEqual([]);
    expect(wrong.length).toBeGreaterThan(0);
    expect(count(stack)).toBe(before);
    call(parameters.map(({ valid }) => valid));
  });

  test('all structs except those that are only returned to users', () => {
    expect(unreachedStructs(callsOf(library))).toEqual(['DashboardSection', 'DeadLetterFeeder', 'FunctionConsumer']);
    expect(STRUCTS_FROM_US.length).toBeGreaterThan(30);
  });
});
