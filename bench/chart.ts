/** The figures of the benchmark as a picture, for people who would rather look than read. */
import { init } from 'echarts';

import { MAX_BATCH_SIZE } from '../nodes/MessagingSend/api/endpoints';
import { leastTime, MINUTE } from './leastTime';
import { type Measurements, median, type Series } from './measurements';

/** The benchmarks that the picture is made from. */
export const NEEDED = ['throughput', 'bare', 'limit'] as const;
export type Results = Readonly<Partial<Record<string, Pick<Measurements, 'series'>>>>;

const MESSAGES = 10_000;
const LIMITED_BATCHES = 180;
/** Of the service's answers, in milliseconds. */
const LATENCY = 1_000;

interface Bar {
  readonly name: string;
  readonly seconds: number;
  readonly isOwn?: boolean;
}

/** An SVG with a group of bars for each question. */
export function chart(results: Results): string {
  const groups = [
    { title: '10,000 messages, without a limit', bars: withoutLimit(results) },
    { title: '18,000 messages, with the limit of 60 requests a minute', bars: withLimit(results) },
  ];
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT * groups.length });
  drawing.setOption({
    animation: false,
    textStyle: { fontFamily: 'sans-serif', color: GREY },
    title: groups.map(({ title }, index) => ({
      text: title,
      top: index * HEIGHT + 8,
      left: 8,
      textStyle: { fontSize: 15, color: GREY },
    })),
    grid: groups.map((_, index) => ({ top: index * HEIGHT + 36, height: HEIGHT - 48, left: 280, right: 110 })),
    xAxis: groups.map((_, index) => ({ type: 'value', gridIndex: index, show: false })),
    yAxis: groups.map(({ bars }, index) => ({
      type: 'category',
      gridIndex: index,
      inverse: true,
      data: bars.map(({ name }) => name),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { fontSize: 13, color: GREY },
    })),
    series: groups.map(({ bars }, index) => ({
      type: 'bar',
      silent: true,
      xAxisIndex: index,
      yAxisIndex: index,
      barMinHeight: 2,
      barWidth: 18,
      data: bars.map(({ seconds, isOwn = false }) => ({
        value: seconds,
        itemStyle: { color: isOwn ? BLUE : GREY },
        label: { show: true, position: 'right', fontSize: 13, color: GREY, formatter: duration(seconds) },
      })),
    })),
  });
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  // Styles for a pointer, under names that are counted in the process.
  return `${svg.replace(/<style[^]*<\/style>\n/, '').replaceAll(/ class="zr[^"]*"/g, '')}\n`;
}

const WIDTH = 720;
const HEIGHT = 140;
// Both can be read on white and on black.
const GREY = '#7d8590';
const BLUE = '#2f81f7';

function withoutLimit(results: Results): Bar[] {
  const bulk = MESSAGES / figure(results, 'throughput', '10,000 items', 'Send Bulk');
  const perItem = MESSAGES / figure(results, 'throughput', '10,000 items', 'HTTP Request, one request per item');
  const overBare = figure(results, 'bare', 'Send Bulk, 10,000 items', 'Send Bulk over bare loop without redirects');
  return [
    { name: 'Send Bulk', seconds: bulk, isOwn: true },
    // Of another benchmark, so by its ratio.
    { name: 'a bare loop without checks', seconds: bulk / overBare },
    { name: 'HTTP Request for each message', seconds: perItem },
  ];
}

function withLimit(results: Results): Bar[] {
  const ratio = figure(results, 'limit', `${LIMITED_BATCHES} batches`, `answers after ${LATENCY} ms`);
  const least = (requests: number) => leastTime(requests, MINUTE, LATENCY) / 1000;
  return [
    { name: 'Send Bulk', seconds: ratio * least(LIMITED_BATCHES), isOwn: true },
    { name: 'least possible', seconds: least(LIMITED_BATCHES) },
    { name: 'a request for each message, at least', seconds: least(LIMITED_BATCHES * MAX_BATCH_SIZE) },
  ];
}

function figure(results: Results, benchmark: (typeof NEEDED)[number], what: string, contender: string): number {
  const series = results[benchmark]?.series.find((each: Series) => each.case === what && each.contender === contender);
  if (series === undefined) throw new Error(`${benchmark} has no figure of ${contender} for ${what}`);
  return median(series.rounds);
}

function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (seconds < 600) return `${(seconds / 60).toFixed(1)} min`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
