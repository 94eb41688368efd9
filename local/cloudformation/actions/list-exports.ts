import { type CloudFormationAction, stackPage } from './cloud-formation-action';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListExports.html */
export const listExports: CloudFormationAction<'ListExports'> = {
  permission: 'cloudformation:ListExports',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input: { NextToken } }) => {
    const exports = directory
      .all()
      .flatMap(({ id, outputs }) =>
        outputs.flatMap(({ exportName, value }) =>
          exportName === undefined ? [] : [{ ExportingStackId: id, Name: exportName, Value: value }],
        ),
      );
    const { items, nextToken } = stackPage(exports, NextToken);
    return { Exports: items, ...(nextToken !== undefined && { NextToken: nextToken }) };
  },
};
