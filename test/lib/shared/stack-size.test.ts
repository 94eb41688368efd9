import { App, CfnResource, NestedStack, Stack } from 'aws-cdk-lib';
import { Policy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { DeadLetterQueue, DurableTopic } from '../../../lib';
import { newApp, problemsOf, warningIds, warningText } from '../support';

const LIMIT = '@aws-cdk/core:stackResourceLimit';

/** A stack that has one construct of ours, and topics in constructs of these sizes. */
function stackWith(sizes: Readonly<Record<string, number>>, app = newApp()): Stack {
  const stack = new Stack(app, 'Orders');
  new DeadLetterQueue(stack, 'Dead');
  for (const [id, size] of Object.entries(sizes)) {
    const scope = new Construct(stack, id);
    for (let n = 0; n < size; n += 1) new Topic(scope, `Topic${n}`);
  }
  return stack;
}

/** The resources of the construct of ours: a queue, its policy and its alarms. */
const OWN = stackWith({})
  .node.findAll()
  .filter(it => CfnResource.isCfnResource(it)).length;

/** The lines of the error with which the app of a stack is not synthesized. */
function errorOf({ node: { root } }: Stack): string[] {
  if (!App.isApp(root)) throw new Error('the stack has no app');
  return problemsOf(() => root.synth());
}

describe('A stack with more resources than CloudFormation accepts', () => {
  test('is an error that lists its constructs by number of resources, and only one error', () => {
    const lines = errorOf(stackWith({ A: 40, B: 45, C: 430 }));
    expect(lines.filter(it => it.includes('greater than allowed maximum'))).toEqual([]);
    const [first, second, ...listed] = lines;
    expect(first).toMatch(/Validation failed/);
    const rule = "resources of Orders must be at most 500, CloudFormation's limit for a stack";
    expect(second).toContain(`${rule}, got ${515 + OWN}`);
    expect(listed).toEqual([
      '    430 in Orders/C',
      '     45 in Orders/B',
      '     40 in Orders/A',
      `      ${OWN} in Orders/Dead`,
      '    Create some of these constructs in a second stack or in a nested stack. 1 resource is an alarm.',
    ]);
  });

  test('lists ten constructs, those in large ones too', () => {
    const stack = new Stack(newApp(), 'Orders');
    const topic = new DurableTopic(stack, 'Topic');
    for (let n = 0; n < 150; n += 1) topic.deliverToEndpoint(`To${n}`, `https://partner.example.com/${n}`);
    const listed = errorOf(stack).filter(it => / in (Orders|\d)/.test(it));
    expect(listed).toHaveLength(11);
    expect(listed[0]).toMatch(/^ +\d+ in Orders\/Topic\//);
    expect(listed.at(-1)).toMatch(/^ {4}\d+ in \d+ more constructs$/);
  });

  test('is an error with the limit that the app states, as a number or as text', () => {
    for (const limit of [OWN + 1, String(OWN + 1)]) {
      const app = newApp({ context: { [LIMIT]: limit } });
      expect(errorOf(stackWith({ A: 2 }, app))[1]).toContain(`must be at most ${limit}`);
    }
  });

  test('is no error if it has exactly as many', () => {
    const app = newApp({ context: { [LIMIT]: OWN + 1 } });
    expect(errorOf(stackWith({ A: 1 }, app))).toEqual([]);
  });

  test('is no error if the app switched the limit off', () => {
    const app = newApp({ context: { [LIMIT]: 0 } });
    const stack = stackWith({ A: 520 }, app);
    expect(errorOf(stack)).toEqual([]);
    expect(warningIds(stack)).not.toContain('stack-nearly-full');
  });

  test('counts no resource that CDK leaves out of the template', () => {
    const app = newApp({ context: { [LIMIT]: OWN + 1 } });
    const stack = stackWith({}, app);
    const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    new Policy(stack, 'Empty', { roles: [role] });
    expect(errorOf(stack)).toEqual([]);
  });

  test('does not count nested stacks, which have limits of their own', () => {
    const stack = stackWith({ A: 300 });
    const nested = new NestedStack(stack, 'Nested');
    for (let n = 0; n < 300; n += 1) new Topic(nested, `Topic${n}`);
    expect(errorOf(stack)).toEqual([]);
  });

  test('is an error for a nested stack with our constructs too', () => {
    const stack = new Stack(newApp(), 'Orders');
    const nested = new NestedStack(stack, 'Nested');
    new DurableTopic(nested, 'Topic').deliverToEndpoint('To', 'https://partner.example.com/orders');
    for (let n = 0; n < 500; n += 1) new Topic(nested, `Topic${n}`);
    expect(errorOf(stack)[1]).toContain('resources of Orders/Nested must be at most 500');
  });
});

describe('A stack with nearly as many resources', () => {
  test('gets a warning that lists its constructs', () => {
    const stack = stackWith({ A: 49, B: 48, C: 360 });
    expect(errorOf(stack)).toEqual([]);
    expect(warningIds(stack)).toContain('stack-nearly-full');
    expect(warningText(stack, 'stack-nearly-full')).toMatch(
      /^Orders has \d+ resources, and CloudFormation accepts 500 in a stack\.\n {4}360 in Orders\/C\n {5}49 in Orders\/A\n/,
    );
  });

  test('gets no warning up to 90 % of the limit', () => {
    const stack = stackWith({ A: 450 - OWN });
    expect(errorOf(stack)).toEqual([]);
    expect(warningIds(stack)).not.toContain('stack-nearly-full');
  });
});
