import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CfnParameter, type Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AssemblyError, LocalAws } from '../../../local';
import { assemblyOfStack, editTemplate } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

function shop(stack: Stack): void {
  new Topic(stack, 'Orders');
  new Queue(stack, 'Fulfilment');
}

describe('an assembly that cannot be deployed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-local-aws-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const problemsOf = async (directory: string): Promise<readonly string[]> => {
    const failure: unknown = await LocalAws.deploy(directory).then(
      () => 'it was deployed',
      error => error,
    );
    if (failure instanceof AssemblyError) return failure.message.split('\n');
    throw failure;
  };

  test('is missing, or corrupt', async () => {
    const missing = path.join(folder, 'nowhere');
    expect(existsSync(missing)).toBe(false);
    expect(await problemsOf(missing)).toEqual([expect.stringContaining(missing)]);
    const corrupt = assemblyOfStack(shop);
    writeFileSync(path.join(corrupt, 'Test.template.json'), '{"Resources":');
    expect(await problemsOf(corrupt)).toEqual([expect.stringMatching(/Test\.template\.json/)]);
  });

  test('leaves nothing behind of the functions whose code stands in the template', async () => {
    // Other tests unpack functions at the same time. The size tells this test's functions apart.
    const bytes = 3_967;
    const unpacked = (): readonly string[] =>
      readdirSync(tmpdir()).filter(name => {
        const file = path.join(tmpdir(), name, 'index.js');
        return name.startsWith('dead-letter-office-') && statSync(file, { throwIfNoEntry: false })?.size === bytes;
      });
    const code = 'exports.handler = async () => {};'.padEnd(bytes, ' ');
    const good = assemblyOfStack(stack => void inlineFunction(stack, 'Inline', code));
    const before = unpacked();
    const aws = await LocalAws.deploy(good);
    expect(unpacked()).toHaveLength(before.length + 1);
    aws.timeline.after(1_000, () => {
      throw new Error('a scenario broke');
    });
    await expect(aws.advance({ seconds: 1 })).rejects.toThrow('a scenario broke');
    await aws.close();
    expect(unpacked()).toEqual(before);

    editTemplate(good, 'Test', ({ Resources }) => {
      Resources['Queue'] = { Type: 'AWS::SQS::Queue', Properties: { Colour: 'red' } };
    });
    expect(await problemsOf(good)).toHaveLength(1);
    expect(unpacked()).toEqual(before);
  });

  test('has resource types, properties and intrinsics that are not implemented: each is named, all at once', async () => {
    const unknownParts = assemblyOfStack(shop);
    editTemplate(unknownParts, 'Test', ({ Resources }) => {
      Resources['Bucket'] = { Type: 'AWS::S3::Bucket' };
      Resources['Table'] = { Type: 'AWS::Glue::Table', Properties: {} };
      Resources['Macro'] = { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Transform': { Name: 'x' } } } };
    });
    const problems = await problemsOf(unknownParts);
    expect(problems).toHaveLength(3);
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Test: .*Bucket.*AWS::S3::Bucket/),
        expect.stringMatching(/^Test: .*Table.*AWS::Glue::Table/),
        expect.stringMatching(/^Test: Macro .*Fn::Transform/),
      ]),
    );

    const unknownProperties = assemblyOfStack(shop);
    editTemplate(unknownProperties, 'Test', ({ Resources }) => {
      Resources['Queue'] = { Type: 'AWS::SQS::Queue', Properties: { Colour: 'red', VisibilityTimeout: 'soon' } };
      Resources['Topic'] = { Type: 'AWS::SNS::Topic', Properties: { Smell: 'fresh' } };
    });
    const texts = await problemsOf(unknownProperties);
    expect(texts).toHaveLength(3);
    expect(texts).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Test: Queue \(AWS::SQS::Queue\): Colour /),
        expect.stringMatching(/^Test: Queue \(AWS::SQS::Queue\): VisibilityTimeout .*"soon"/),
        expect.stringMatching(/^Test: Topic \(AWS::SNS::Topic\): Smell /),
      ]),
    );
  });

  test('asks for a parameter that nobody gave', async () => {
    const assembly = assemblyOfStack(stack => {
      const { valueAsString: queueName } = new CfnParameter(stack, 'Name');
      new Queue(stack, 'Queue', { queueName });
    });
    const [problem, consequence, ...others] = await problemsOf(assembly);
    expect(problem).toMatch(/^Test: .*Name/);
    expect(consequence).toMatch(
      /^Test: Test\/Queue\/Resource .* parameter Name has no default, and no value was given \(dlo local: --parameter Name=…;/,
    );
    expect(others).toEqual([]);
    const deployed = await Deployed.assembly(assembly, { parameters: { Name: 'Given' } });
    expect(deployed.name('Queue')).toBe('Given');
  });
});
