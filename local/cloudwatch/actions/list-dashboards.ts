import { cloudWatchPage } from '../paging';
import { anyDashboard, type CloudWatchAction } from './cloud-watch-action';

const PAGE_SIZE = 1_000;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_ListDashboards.html */
export const listDashboards: CloudWatchAction<'ListDashboards'> = {
  permission: 'cloudwatch:ListDashboards',
  resourceOf: anyDashboard,
  run: ({ dashboards }, { input }) => {
    const found = dashboards.all.filter(({ name }) => name.startsWith(input.DashboardNamePrefix ?? ''));
    const { items, nextToken } = cloudWatchPage(found, PAGE_SIZE, input.NextToken);
    return {
      DashboardEntries: items.map(({ name, arn, body, modifiedAtMs }) => ({
        DashboardName: name,
        DashboardArn: arn,
        LastModified: new Date(modifiedAtMs),
        Size: Buffer.byteLength(body),
      })),
      NextToken: nextToken,
    };
  },
};
