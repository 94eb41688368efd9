import { CfnCondition, CfnOutput, CfnParameter, Fn, NestedStack } from 'aws-cdk-lib';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { AssemblyError, LocalAws } from '../../../local';
import { assemblyOfStack, editTemplate } from '../../support/assembly';
import { Deployed } from '../../support/deployed';

async function problemsOf(assembly: string): Promise<readonly string[]> {
  const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
  if (failure instanceof AssemblyError) return failure.problems;
  throw failure instanceof Error ? failure : new Error('it was deployed');
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-nested-stacks.html */
describe('a nested stack', () => {
  it('gets parameters from its parent, and gives it outputs', async () => {
    const world = await Deployed.stack(stack => {
      const outer = new Queue(stack, 'Outer', { queueName: 'outer' });
      const nested = new NestedStack(stack, 'Nested');
      const inner = new Queue(nested, 'Inner', { queueName: `${outer.queueName}-inner` });
      const deeper = new NestedStack(nested, 'Deeper');
      const innermost = new Queue(deeper, 'Innermost', { queueName: `${inner.queueName}-most` });
      new CfnOutput(stack, 'InnerArn', { value: inner.queueArn });
      new CfnOutput(stack, 'InnermostArn', { value: innermost.queueArn });
    });
    const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;
    expect(world.aws.output('InnerArn')).toBe(arn('outer-inner'));
    expect(world.aws.output('InnermostArn')).toBe(arn('outer-inner-most'));
    expect(world.arn('Nested/Deeper/Innermost')).toBe(arn('outer-inner-most'));
    const names = world.aws.stacks.map(({ name }) => name);
    expect(names).toEqual([
      expect.stringMatching(/^Test-NestedNestedStack.*-DeeperNestedStack.*-[A-Z0-9]{12}$/),
      expect.stringMatching(/^Test-NestedNestedStack.*-[A-Z0-9]{12}$/),
      'Test',
    ]);
  });

  it('decides its conditions by what it is given, even where that is known only now', async () => {
    const world = await Deployed.stack(stack => {
      const outer = new Queue(stack, 'Outer', { queueName: 'outer' });
      const nested = new NestedStack(stack, 'Nested', { parameters: { Name: outer.queueName, Other: 'fixed' } });
      new CfnParameter(nested, 'Name');
      new CfnParameter(nested, 'Other');
      const isOuter = Fn.conditionEquals(Fn.ref('Name'), 'outer');
      const made = new CfnQueue(nested, 'Made', { queueName: Fn.ref('Other') });
      const notMade = new CfnQueue(nested, 'NotMade', { queueName: 'never' });
      made.addOverride('Condition', 'IsOuter');
      notMade.addOverride('Condition', 'IsNot');
      const conditions = { IsOuter: isOuter, IsNot: Fn.conditionNot(isOuter) };
      for (const [name, expression] of Object.entries(conditions)) {
        new CfnCondition(nested, name, { expression });
      }
    });
    expect(world.ref('Nested/Made')).toContain('/fixed');
    expect(world.aws.services.sqs.queues().map(({ name }) => name)).toEqual(['outer', 'fixed']);
  });

  it('is checked with its parents before anything is made, and told of by its name', async () => {
    const assembly = assemblyOfStack(stack => {
      const nested = new NestedStack(stack, 'Nested');
      new CfnQueue(nested, 'Odd').addOverride('Type', 'AWS::RDS::DBInstance');
      new CfnQueue(stack, 'AlsoOdd').addOverride('Type', 'AWS::EC2::VPC');
    });
    const problems = await problemsOf(assembly);
    expect(problems).toHaveLength(2);
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Test-NestedNestedStack\S+: .*Odd.*AWS::RDS::DBInstance.*not implemented/),
        expect.stringMatching(/^Test: .*AlsoOdd, AWS::EC2::VPC.*not implemented/),
      ]),
    );
  });

  it('that fails is told of once, however much its parent needs it', async () => {
    const assembly = assemblyOfStack(stack => {
      const nested = new NestedStack(stack, 'Nested');
      const inner = new Queue(nested, 'Inner', { queueName: 'a b' });
      new Queue(stack, 'Follows', { queueName: `${inner.queueName}-x` });
      new CfnOutput(stack, 'InnerArn', { value: inner.queueArn });
    });
    expect(await problemsOf(assembly)).toEqual([
      expect.stringMatching(/^Test-Nested\S+: Test\/Nested\/Inner\/Resource/),
    ]);
  });

  it('must have its template in the assembly', async () => {
    const assembly = assemblyOfStack(stack => {
      new Queue(new NestedStack(stack, 'Nested'), 'Inner');
    });
    editTemplate(assembly, 'Test', ({ Resources }) => {
      for (const { Type, Properties = {} } of Object.values(Resources)) {
        if (Type === 'AWS::CloudFormation::Stack') Properties['TemplateURL'] = 'https://example.com/other.json';
      }
    });
    expect(await problemsOf(assembly)).toEqual([
      expect.stringContaining('TemplateURL must be a file asset of the assembly, got "https://example.com/other.json"'),
    ]);
  });
});
