import { AwsError } from '../../kernel/aws-error';
import type { Parameter } from '../parameter';
import { parameterNamed, type SsmAction } from './ssm-action';

const MOST_LABELS = 10;

/** Letters, digits and `.-_`, beginning neither with a digit nor with `aws` or `ssm`. */
const LABEL = /^(?!aws|ssm|\d)[\w.-]{1,100}$/i;

/**
 * A label is on one version at a time. Labels that are none are answered, and the others are put.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_LabelParameterVersion.html
 */
export const labelParameterVersion: SsmAction<'LabelParameterVersion', Parameter> = {
  permission: 'ssm:LabelParameterVersion',
  resourceOf: (state, { Name }) => parameterNamed(state, Name),
  run: (state, { input: { ParameterVersion: number, Labels = [] } }, parameter) => {
    const version = parameter.select(number === undefined ? '' : String(number));
    const labels = Labels.filter(label => LABEL.test(label));
    if (new Set([...version.labels, ...labels]).size > MOST_LABELS) {
      throw new AwsError(
        'ParameterVersionLabelLimitExceeded',
        `A parameter version can have a maximum of ${MOST_LABELS} labels.`,
      );
    }
    for (const label of labels) {
      for (const other of parameter.versions) other.labels.delete(label);
      version.labels.add(label);
    }
    const { arn: parameterArn } = parameter;
    state.context.trace.record({ type: 'ssm.version-labelled', parameterArn, version: version.version, labels });
    return { InvalidLabels: Labels.filter(label => !LABEL.test(label)), ParameterVersion: version.version };
  },
};
