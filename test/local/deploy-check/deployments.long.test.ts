import { deployCheck } from '../../../local';
import { assemblyOfStack } from '../../support/assembly';
import { PATTERNS } from '../patterns/patterns';
import { DEPLOYMENTS, summary } from './deployments';

test.each(DEPLOYMENTS)(
  'a deployment that $name',
  async ({ before, after, fails = false, effects = [], risks = [] }) => {
    const check = await deployCheck(before(), after());
    expect(summary(check)).toEqual({ fails, effects, risks });
    expect(check.verdict === 'unsafe').toBe(fails || effects.some(effect => !/ (?:late|duplicated) /.test(effect)));
  },
);

/** Apps that CDK patterns make, by how messages enter them. */
test.each([
  'aws-dynamodbstreams-lambda',
  'aws-eventbridge-sns',
  'aws-kinesisstreams-lambda',
  'aws-s3-lambda',
  'aws-s3-sqs',
  'aws-sns-lambda',
  'aws-sqs-lambda',
])('the same %s again affects no message', async name => {
  const fill = PATTERNS[name]?.fill;
  if (!fill) throw new Error(`there is no pattern ${name}`);
  const assembly = assemblyOfStack(fill);
  const { sent, receivers, verdict, risks, notFollowed } = await deployCheck(assembly, assembly);
  expect({ receivers, verdict, risks }).toEqual({ receivers: [], verdict: 'safe', risks: [] });
  expect([sent >= 38, notFollowed]).toEqual([true, []]);
});
