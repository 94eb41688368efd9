import type { PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { MetricAlarmConfiguration, MissingDataTreatment } from '../alarms/alarm-configuration';
import { actionProblems, commonConfiguration } from '../alarms/alarm-request';
import type { ComparisonOperator } from '../alarms/comparison';
import { MetricAlarm } from '../alarms/metric-alarm';
import { metricAlarmConstraints, metricAlarmProblems } from '../alarms/metric-alarm-problems';
import { watchedBy } from '../alarms/watched-request';
import type { CloudWatchState } from '../cloud-watch-state';
import { validationError } from '../errors';
import { alarmNamed, type CloudWatchAction } from './cloud-watch-action';

/** Members of the request that would change what the alarm does, and that this CloudWatch does not know. */
const NOT_IMPLEMENTED = [
  'ThresholdMetricId',
  'EvaluationWindow',
  'EvaluationCriteria',
  'EvaluationInterval',
  'WarmUpConfiguration',
  'ActionConfiguration',
] as const;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
export const putMetricAlarm: CloudWatchAction<'PutMetricAlarm'> = {
  permission: 'cloudwatch:PutMetricAlarm',
  resourceOf: alarmNamed,
  run: (state, { input }) => {
    const configuration = metricAlarmConfiguration(state, input);
    const existing = state.alarms.find(configuration.alarmName);
    if (existing && !(existing instanceof MetricAlarm)) {
      throw validationError(`There is a composite alarm of the name ${configuration.alarmName}`);
    }
    // Tags come with a new alarm; AWS ignores them on one that is there.
    if (!existing && input.Tags) state.tags.add(configuration.alarmArn, input.Tags);
    state.putMetricAlarm(configuration);
    return {};
  },
};

/** @throws AwsError with everything that is wrong with the request */
function metricAlarmConfiguration(state: CloudWatchState, input: PutMetricAlarmInput): MetricAlarmConfiguration {
  const unknown = NOT_IMPLEMENTED.filter(member => input[member] !== undefined);
  if (unknown.length > 0) throw notImplemented(`an alarm's ${unknown.join(', ')}`);
  metricAlarmConstraints(input).check();
  const problems = [...metricAlarmProblems(input), ...actionProblems(input, state.context.place.region)];
  if (problems.length > 0) throw validationError(problems.join('; '));
  const { context } = state;
  return {
    ...commonConfiguration(context, input),
    watched: watchedBy(input, context.random),
    evaluationPeriods: input.EvaluationPeriods ?? 1,
    datapointsToAlarm: input.DatapointsToAlarm,
    threshold: input.Threshold ?? 0,
    comparisonOperator: input.ComparisonOperator as ComparisonOperator,
    treatMissingData: input.TreatMissingData as MissingDataTreatment | undefined,
    evaluateLowSampleCountPercentile: input.EvaluateLowSampleCountPercentile as 'evaluate' | 'ignore' | undefined,
  };
}
