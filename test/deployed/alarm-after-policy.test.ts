import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { OpsTopic } from '../../lib';
import { LocalAws } from '../../local';
import { assemblyOfStack, editTemplate } from '../support/assembly';

/** Resources of a template may come in any order; only what depends on what decides which is made first. */
test.each([false, true])(
  'No alarm is there before its OpsTopic lets it publish (template reversed: %s)',
  async reversed => {
    const assembly = assemblyOfStack(stack => {
      const ops = new OpsTopic(stack, 'Ops');
      const metric = new Metric({ namespace: 'Shop', metricName: 'Failures' });
      metric.createAlarm(stack, 'Alarm', { threshold: 1, evaluationPeriods: 1 }).addAlarmAction(ops);
    });
    editTemplate(assembly, 'Test', template => {
      const resources = Object.entries(template.Resources);
      Object.assign(template, { Resources: Object.fromEntries(reversed ? resources.reverse() : resources) });
    });
    const aws = await LocalAws.deploy(assembly);
    const made = [...(aws.stacks[0]?.resources.values() ?? [])].map(({ path = '' }) => path);
    await aws.close();

    expect(made).toEqual(expect.arrayContaining(['Test/Ops/Policy/Resource', 'Test/Alarm/Resource']));
    expect(made.indexOf('Test/Ops/Policy/Resource')).toBeLessThan(made.indexOf('Test/Alarm/Resource'));
  },
);
