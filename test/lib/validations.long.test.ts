import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { RentalOrdersStack } from '../../examples/rental';
import { DurableTopic, HttpRelay, RelayEndpoint, TopicDeliveryPolicy } from '../../lib';
import { EXAMPLES, load } from '../support/examples';
import { examples, stackOf } from '../support/markdown-examples';
import { acknowledgeFunctions, annotations, findings, validate } from '../support/validations';
import { vpcIn } from '../support/vpc';
import { newApp, opsTopic } from './support';

function validatedApp(): App {
  const app = newApp();
  validate(app);
  return app;
}

/** The examples of a guide that are whole apps. */
const guideExamples = (file: string): readonly [string, () => Stack][] =>
  examples(readFileSync(path.join(__dirname, '../..', file), 'utf8'))
    .filter(it => it.includes('new App()'))
    .map((example, index) => [`example ${index + 1} of ${file}`, () => stackOf(example)]);

describe('cdk-nag, cdk-preflight and CDK’s own validation', () => {
  test.each([
    ['the rental backend', { billingEndpoint: 'https://billing.acme.test/v1/invoices' }],
    ['the rental backend with its systems', { systems: true }],
  ])('find nothing unacknowledged in %s', (_, props) => {
    const app = validatedApp();
    const stack = new RentalOrdersStack(app, 'RentalOrders', {
      rentalOrders: { opsEmail: 'ops@example.com', ...props },
    });
    expect(findings(app)).toEqual([]);
    expect(annotations(stack)).toEqual([]);
  });

  test('find nothing in a topic with a delivery policy', () => {
    const app = validatedApp();
    const stack = new Stack(app, 'Stack');
    const topic = new DurableTopic(stack, 'Topic');
    new TopicDeliveryPolicy(stack, 'Policy', { topic, deliveryPolicy: { healthyRetryPolicy: { numRetries: 5 } } });
    expect(findings(app)).toEqual([]);
  });

  test('find nothing in a relay in a VPC', () => {
    const app = validatedApp();
    const stack = new Stack(app, 'Stack');
    new HttpRelay(stack, 'Relay', {
      endpoint: RelayEndpoint.fromUrl('https://10.0.0.5/orders'),
      allowedPrivateRanges: ['10.0.0.0/16'],
      alarmActions: [opsTopic(stack)],
      vpc: vpcIn(stack),
    });
    expect(findings(app)).toEqual([]);
    expect(annotations(stack)).toEqual([]);
  });

  test('find what CloudFormation’s own schema rejects', () => {
    const app = validatedApp();
    const queue = new Queue(new Stack(app, 'Bad'), 'Queue').node.defaultChild as CfnQueue;
    queue.addPropertyOverride('NoSuchProperty', true);
    expect(findings(app).join()).toMatch(/\b[EF]\d{4}\b/);
  });

  test('find a topic that accepts messages without TLS', () => {
    const app = validatedApp();
    new Topic(new Stack(app, 'Bad'), 'Topic');
    expect(findings(app)).toContain('AwsSolutions-SNS3');
  });

  test.each([
    ...['README.md', 'docs/relay.md', 'docs/redrive.md', 'docs/fleet.md'].flatMap(guideExamples),
    ...EXAMPLES.map(file => [`docs/examples/${file}`, () => load(file).stacks] as const),
  ])('find nothing in %s, which gets no warning', (_, stacksOf) => {
    const stacks = [stacksOf()].flat();
    const app = stacks[0]?.node.root;
    if (!(app instanceof App)) throw new Error('the example has no app');
    validate(app);
    acknowledgeFunctions(app);
    expect(findings(app)).toEqual([]);
    expect(stacks.flatMap(annotations)).toEqual([]);
  });
});
