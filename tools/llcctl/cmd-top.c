// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl top: which cgroups run on which LLCs, now?
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"
#include "cgroup.h"
#include "effective.h"
#include "heat.h"
#include "llcctl.h"
#include "llcname.h"
#include "screen.h"
#include "table.h"
#include "target.h"
#include "topology.h"
#include "view.h"
#include "wait.h"

#define INTERVAL	2.0
#define INTERVAL_MIN	0.1
/* So often in an interval is looked where tasks run. */
#define LOOKS		4

enum { OPT_COLOR = OPT_COMMAND };

enum sort { SORT_TREE, SORT_CPUS, SORT_HOME, SORT_NAME, SORT_SPILLS, NR_SORTS };

static const char *const sort_names[NR_SORTS] = {
	[SORT_TREE] = "tree", [SORT_CPUS] = "CPUs", [SORT_HOME] = "home",
	[SORT_NAME] = "name", [SORT_SPILLS] = "spills",
};

enum { COL_CGROUP, COL_PREFER, COL_STATE, COL_CPUS, COL_HOME, COL_SPILLS,
	COL_MOVES, COL_SHARES };

static const struct column columns[] = {
	[COL_CGROUP] = { "CGROUP", 1, 0, SCOLS_JSON_STRING, "" },
	[COL_PREFER] = { "PREFER", 1, 0, SCOLS_JSON_STRING, "" },
	[COL_STATE]  = { "STATE", 1, 0, SCOLS_JSON_STRING, "" },
	[COL_CPUS]   = { "CPUS", 1, 0, SCOLS_JSON_NUMBER, "" },
	[COL_HOME]   = { "HOME", 1, 0, SCOLS_JSON_NUMBER, "" },
	[COL_SPILLS] = { "SPILLS", 1, 0, SCOLS_JSON_NUMBER, "" },
	[COL_MOVES]  = { "MOVES", 1, 0, SCOLS_JSON_NUMBER, "" },
	[COL_SHARES] = { "SHARES", 1, SCOLS_FL_WRAP, SCOLS_JSON_ARRAY_NUMBER, "" },
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl top [options] [<cgroup>]\n\n"
	      "Watch on which LLCs the cgroups run that state or inherit a preference: in per\n"
	      "cent of their run time, [..] where they prefer to. Press h for the keys.\n\n"
	      "Options:\n"
	      " -a, --all                show every cgroup\n"
	      " -b, --batch              print lines, one interval after the other\n"
	      "     --color[=<when>]     auto, always or never (default auto)\n"
	      " -i, --interval <secs>    time between two looks (default 2)\n"
	      " -J, --json               use JSON output format; implies --batch\n"
	      " -n, --count <number>     end after so many intervals\n"
	      TARGET_HELP
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

/* A cgroup of the frame. */
struct line {
	struct heat_row row;
	char *name, *prefer, *state;
	bool *preferred;
};

/**
 * struct top - what is watched, and how it is shown
 * @view, @activity: the cgroups, and what they do
 * @lines, @rows: the frame, in the order in which it is shown
 * @labels, @nodes: the heading
 * @taken: the activity is known
 */
struct top {
	const char *path;
	bool all, batch, json, colour, reverse, paused, help;
	double interval;
	unsigned long count;
	enum sort sort;
	struct heat_window window;
	struct cgroup_root *root;
	struct topology topo;
	struct view view;
	struct activity activity;
	struct line *lines;
	struct heat_row *rows;
	size_t nr;
	char **labels;
	int *nodes;
	bool taken;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	stopped = signal;
}

static void catch_signals(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = handler };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* The heading of each LLC: its id, or where it has none its place. */
static void label_llcs(struct top *top)
{
	size_t i;
	int node;

	top->labels = xcalloc(top->topo.nr_llcs, sizeof(*top->labels));
	top->nodes = xcalloc(top->topo.nr_llcs, sizeof(*top->nodes));
	for (i = 0; i < top->topo.nr_llcs; i++) {
		long id = llc_id(&top->topo, &top->topo.llcs[i]);

		top->labels[i] = id >= 0 ? xasprintf("%ld", id) :
				 xasprintf("#%zu", i);
		node = cpumask_next(&top->topo.llcs[i].nodes, 0);
		top->nodes[i] = node;
	}
}

static void forget_lines(struct top *top)
{
	size_t i;

	for (i = 0; i < top->nr; i++) {
		free(top->lines[i].name);
		free(top->lines[i].prefer);
		free(top->lines[i].state);
		free(top->lines[i].preferred);
	}
	free(top->lines);
	free(top->rows);
	top->lines = NULL;
	top->rows = NULL;
	top->nr = 0;
}

static unsigned int depth_of(const struct view *v, size_t i)
{
	unsigned int depth = 0;

	for (; i; i = v->list.nodes[i].parent)
		depth++;
	return depth;
}

/* What is in force for a cgroup. */
static void read_effective(const struct top *top, const char *path,
			   struct line *line)
{
	struct effective eff;
	struct cpumask cpus = { 0 };
	const char *list, *state;
	char *text;
	size_t i;

	if (cgroup_read(top->root, path, FILE_EFFECTIVE, &text))
		return;
	effective_parse(text, &eff);
	free(text);
	state = effective_get(&eff, "state");
	if (state)
		line->state = xstrdup(state);
	list = effective_get(&eff, "cpus");
	if (list && !cpulist_parse(list, -1, &cpus, NULL))
		for (i = 0; i < top->topo.nr_llcs; i++)
			line->preferred[i] =
				cpumask_intersects(&cpus, &top->topo.llcs[i].cpus);
	effective_free(&eff);
}

static void make_line(const struct top *top, size_t i, struct line *line)
{
	const struct cgroup_node *node = &top->view.list.nodes[i];
	const struct doing *d = &top->activity.doing[i];
	const char *slash = strrchr(node->path, '/');

	line->preferred = xcalloc(top->topo.nr_llcs, sizeof(*line->preferred));
	/* A tree shows the last name, a sorted list the path. */
	if (i && top->sort == SORT_TREE && !top->json)
		line->name = xstrdup(slash ? slash + 1 : node->path);
	else
		line->name = xasprintf("/%s", node->path);
	if (top->view.rows[i].prefer)
		line->prefer = xstrdup(top->view.rows[i].prefer);
	if (top->view.rows[i].decided)
		read_effective(top, node->path, line);
	line->row = (struct heat_row){
		.name = line->name,
		.depth = top->sort == SORT_TREE ? depth_of(&top->view, i) : 0,
		.prefer = line->prefer,
		.state = line->state,
		.cpus = d->cpus,
		.home = d->home,
		.spills = d->spills,
		.moves = d->moves,
		.shares = d->shares,
		.preferred = line->preferred,
	};
}

/* Higher comes first; what is not known comes last. */
static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static enum sort sort_by;
static bool sort_reverse;

static int compare_lines(const void *a, const void *b)
{
	const struct heat_row *x = &((const struct line *)a)->row;
	const struct heat_row *y = &((const struct line *)b)->row;
	int order = 0;

	switch (sort_by) {
	case SORT_CPUS:
		order = compare_numbers(x->cpus, y->cpus);
		break;
	case SORT_HOME:
		order = compare_numbers(x->home, y->home);
		break;
	case SORT_SPILLS:
		order = compare_numbers(x->spills, y->spills);
		break;
	case SORT_TREE:
	case SORT_NAME:
	case NR_SORTS:
		break;
	}
	if (!order)
		order = strcmp(x->name, y->name);
	return sort_reverse ? -order : order;
}

static void make_lines(struct top *top)
{
	const struct view *v = &top->view;
	size_t i;

	forget_lines(top);
	top->lines = xcalloc(v->list.nr + 1, sizeof(*top->lines));
	top->rows = xcalloc(v->list.nr + 1, sizeof(*top->rows));
	for (i = 0; i < v->list.nr; i++) {
		/* Ancestors are there for the tree. */
		if (!v->rows[i].shown || (top->sort != SORT_TREE && !top->all &&
					  !v->rows[i].decided))
			continue;
		make_line(top, i, &top->lines[top->nr++]);
	}
	if (top->sort != SORT_TREE) {
		sort_by = top->sort;
		sort_reverse = top->reverse;
		qsort(top->lines, top->nr, sizeof(*top->lines), compare_lines);
	}
	for (i = 0; i < top->nr; i++)
		top->rows[i] = top->lines[i].row;
}

/* Read the cgroups anew, and see where their tasks run. */
static int look(struct top *top)
{
	int ret;

	view_free(&top->view);
	ret = view_load(top->root, top->path, top->all, &top->view);
	if (!ret)
		activity_look(&top->activity, &top->view, top->all);
	return ret;
}

static char *title(const struct top *top)
{
	time_t now = time(NULL);
	struct tm tm;
	char clock[16];

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	return xasprintf("llcctl top - %s, every %g s, by %s%s, %zu LLCs%s", clock,
			 top->interval, sort_names[top->sort],
			 top->reverse && top->sort != SORT_TREE ? " reversed" : "",
			 top->topo.nr_llcs, top->paused ? ", paused" : "");
}

static const char *notice(const struct top *top)
{
	if (!top->nr)
		return top->all ? "there are no cgroups" :
		       "no cgroup states a preference: a shows all";
	if (!top->taken)
		return "looking";
	return "% of run time by LLC, [..] preferred; h: keys, q: quit";
}

static void frame_of(const struct top *top, const char *head,
		     struct heat_frame *frame)
{
	*frame = (struct heat_frame){
		.title = head,
		.notice = notice(top),
		.llcs = (const char *const *)top->labels,
		.nodes = top->nodes,
		.nr_llcs = top->topo.nr_llcs,
		.rows = top->rows,
		.nr_rows = top->nr,
	};
}

/* Batch: lines or JSON, one interval after the other. */

static char *json_number(double value)
{
	return isnan(value) ? NULL : xasprintf("%.2f", value);
}

static char *json_shares(const struct top *top, const double *shares)
{
	char *text = xstrdup(""), *more;
	size_t i;

	for (i = 0; i < top->topo.nr_llcs && !isnan(shares[i]); i++) {
		more = xasprintf("%s%s%.1f", text, i ? "\n" : "", shares[i]);
		free(text);
		text = more;
	}
	if (*text)
		return text;
	free(text);
	return NULL;
}

static void print_json(const struct top *top)
{
	struct table t = {
		.name = "top",
		.all = columns,
		.nr_all = ARRAY_SIZE(columns),
		.nr_cols = ARRAY_SIZE(columns),
		.json = true,
	};
	size_t i;

	for (i = 0; i < t.nr_cols; i++)
		t.cols[i] = i;
	table_start(&t, true);
	for (i = 0; i < top->nr; i++) {
		const struct heat_row *row = &top->rows[i];
		struct libscols_line *line = table_line(&t, NULL);

		table_cell(&t, line, COL_CGROUP, xstrdup(row->name));
		table_cell(&t, line, COL_PREFER,
			   row->prefer ? xstrdup(row->prefer) : NULL);
		table_cell(&t, line, COL_STATE,
			   row->state ? xstrdup(row->state) : NULL);
		table_cell(&t, line, COL_CPUS, json_number(row->cpus));
		table_cell(&t, line, COL_HOME, json_number(row->home));
		table_cell(&t, line, COL_SPILLS, json_number(row->spills));
		table_cell(&t, line, COL_MOVES, json_number(row->moves));
		table_cell(&t, line, COL_SHARES, json_shares(top, row->shares));
	}
	table_finish(&t);
}

static void print_line(const char *text, const char *looks, bool colour)
{
	char last = HEAT_PLAIN;

	if (!colour) {
		puts(text);
		return;
	}
	for (; *text; text++, looks++) {
		if (*looks != last)
			printf("\033[0m%s", screen_sequence(*looks));
		last = *looks;
		putchar(*text);
	}
	puts(last == HEAT_PLAIN ? "" : "\033[0m");
}

static void print_frame(const struct top *top)
{
	const struct heat_window all = { 0 };
	struct heat_frame frame;
	struct heat_text text;
	char *head = title(top);
	size_t i;

	frame_of(top, head, &frame);
	heat_render(&frame, &all, &text);
	for (i = 0; i < text.nr; i++)
		/* The keys are nobody's here. */
		if (i != 1 || !top->nr)
			print_line(text.lines[i], text.looks[i], top->colour);
	putchar('\n');
	heat_free(&text);
	free(head);
}

static void nap(double seconds)
{
	struct timespec ts = { seconds, (long)(seconds * 1e9) % 1000000000L };

	if (!stopped)
		nanosleep(&ts, NULL);
}

static int run_batch(struct top *top)
{
	unsigned long n;
	int ret = look(top), i;

	activity_take(&top->activity, &top->view);
	for (n = 0; !ret && !stopped && (!top->count || n < top->count); n++) {
		for (i = 0; i < LOOKS && !ret && !stopped; i++) {
			nap(top->interval / LOOKS);
			ret = look(top);
		}
		if (ret || stopped)
			break;
		activity_take(&top->activity, &top->view);
		top->taken = true;
		make_lines(top);
		if (top->json)
			print_json(top);
		else
			print_frame(top);
		if (fflush(stdout))
			return EXIT_FAILED;
	}
	return ret;
}

/* The screen. */

static const char *const help_lines[] = {
	"llcctl top: on which LLCs do cgroups run?",
	"",
	"  s          sort: tree, CPUs, home, name, spills",
	"  c o n l    sort by CPUs, home, name, spills; t: the tree",
	"  r          reverse the order",
	"  a          all cgroups, or those with a preference",
	"  space p    pause",
	"  + -        longer and shorter interval",
	"  arrows     scroll, also PgUp, PgDn, Home, End",
	"  h ?        this help",
	"  q          quit",
	"",
	"  CPUS       run time by time",
	"  HOME%      share of run time on the preferred LLCs",
	"  SPILL/s    tasks that left these as they were full",
	"  MOVE/s     moves onto and off these by load balancing",
	"  the rest   share of run time on each LLC; [..]: preferred; .: none",
	"",
	"  any key goes back",
};

static void draw_help(void)
{
	struct heat_text text = { .nr = ARRAY_SIZE(help_lines) };
	size_t i;

	text.lines = xcalloc(text.nr, sizeof(*text.lines));
	text.looks = xcalloc(text.nr, sizeof(*text.looks));
	for (i = 0; i < text.nr; i++) {
		text.lines[i] = xstrdup(help_lines[i]);
		text.looks[i] = xstrdup(help_lines[i]);
		memset(text.looks[i], i ? HEAT_PLAIN : HEAT_BOLD,
		       strlen(text.looks[i]));
	}
	screen_draw(&text);
	heat_free(&text);
}

static void draw(struct top *top)
{
	struct heat_frame frame;
	struct heat_text text;
	char *head;

	if (top->help) {
		draw_help();
		return;
	}
	screen_size(&top->window.width, &top->window.height);
	if (top->window.top >= top->nr)
		top->window.top = top->nr ? top->nr - 1 : 0;
	if (top->window.left >= top->topo.nr_llcs)
		top->window.left = top->topo.nr_llcs - 1;
	head = title(top);
	frame_of(top, head, &frame);
	heat_render(&frame, &top->window, &text);
	screen_draw(&text);
	heat_free(&text);
	free(head);
}

static void scroll_by(size_t *at, long by, size_t nr)
{
	long to = (long)*at + by;

	*at = to < 0 ? 0 : to >= (long)nr ? (nr ? nr - 1 : 0) : (size_t)to;
}

static void set_sort(struct top *top, enum sort sort)
{
	top->sort = sort;
	top->window.top = 0;
	make_lines(top);
}

/* Returns false if it was the key to quit. */
static bool handle_key(struct top *top, int key)
{
	long page = (long)top->window.height - 4;

	if (top->help) {
		top->help = key == KEY_IS_RESIZE;
		return key != 'q';
	}
	switch (key) {
	case 'q':
		return false;
	case 'h':
	case '?':
		top->help = true;
		break;
	case ' ':
	case 'p':
		top->paused = !top->paused;
		break;
	case 'a':
		top->all = !top->all;
		break;
	case 's':
		set_sort(top, (top->sort + 1) % NR_SORTS);
		break;
	case 't':
		set_sort(top, SORT_TREE);
		break;
	case 'c':
		set_sort(top, SORT_CPUS);
		break;
	case 'o':
		set_sort(top, SORT_HOME);
		break;
	case 'n':
		set_sort(top, SORT_NAME);
		break;
	case 'l':
		set_sort(top, SORT_SPILLS);
		break;
	case 'r':
		top->reverse = !top->reverse;
		make_lines(top);
		break;
	case '+':
		top->interval *= 2;
		break;
	case '-':
		if (top->interval / 2 >= INTERVAL_MIN)
			top->interval /= 2;
		break;
	case KEY_IS_UP:
		scroll_by(&top->window.top, -1, top->nr);
		break;
	case KEY_IS_DOWN:
		scroll_by(&top->window.top, 1, top->nr);
		break;
	case KEY_IS_PAGE_UP:
		scroll_by(&top->window.top, -page, top->nr);
		break;
	case KEY_IS_PAGE_DOWN:
		scroll_by(&top->window.top, page, top->nr);
		break;
	case KEY_IS_HOME:
		top->window.top = top->window.left = 0;
		break;
	case KEY_IS_END:
		scroll_by(&top->window.top, top->nr, top->nr);
		break;
	case KEY_IS_LEFT:
		scroll_by(&top->window.left, -1, top->topo.nr_llcs);
		break;
	case KEY_IS_RIGHT:
		scroll_by(&top->window.left, 1, top->topo.nr_llcs);
		break;
	}
	return true;
}

/* One interval, or until a key changes what is asked for. False: quit. */
static bool watch(struct top *top, double seconds)
{
	long step = seconds * 1000 / LOOKS, next = now_ms() + step, left;
	int n = 0, key;

	while (n < LOOKS && !stopped) {
		left = next - now_ms();
		if (left <= 0) {
			/* Paused: the frame stays, and so do the cgroups of it. */
			if (!top->paused && look(top))
				return false;
			next = now_ms() + step;
			n++;
			continue;
		}
		key = screen_key(left);
		if (key == KEY_NOTHING)
			continue;
		if (!handle_key(top, key))
			return false;
		draw(top);
	}
	return !stopped;
}

static int run_screen(struct top *top)
{
	unsigned long n = 0;
	struct why why;
	int ret = look(top);

	if (ret)
		return ret;
	if (screen_open(top->colour, &why)) {
		warnx("%s", why.text);
		return EXIT_FAILED;
	}
	activity_take(&top->activity, &top->view);
	make_lines(top);
	draw(top);
	/* Something to see soon. */
	while (watch(top, n ? top->interval : top->interval / 4)) {
		if (top->paused)
			continue;
		activity_take(&top->activity, &top->view);
		top->taken = true;
		make_lines(top);
		draw(top);
		if (++n == top->count)
			break;
	}
	screen_close();
	return EXIT_DONE;
}

static int run_top(const struct settings *set, struct top *top,
		   struct target *t)
{
	struct why why;
	int ret = topology_load(set->sysroot, &top->topo, &why);
	size_t i;

	if (ret) {
		warnx("%s", why.text);
		return EXIT_FAILED;
	}
	top->root = &t->root;
	top->path = t->path;
	label_llcs(top);
	activity_start(&top->activity, top->root, set->sysroot, &top->topo);

	catch_signals(stop);
	ret = top->batch ? run_batch(top) : run_screen(top);
	catch_signals(SIG_DFL);

	forget_lines(top);
	activity_end(&top->activity);
	view_free(&top->view);
	for (i = 0; i < top->topo.nr_llcs; i++)
		free(top->labels[i]);
	free(top->labels);
	free(top->nodes);
	if (stopped) {
		fflush(stdout);
		raise(stopped);
	}
	return ret;
}

/* As the rest of util-linux: NO_COLOR and what the terminal can. */
static bool parse_color(const char *when, bool *colour)
{
	if (!when || !strcmp(when, "always"))
		*colour = true;
	else if (!strcmp(when, "never"))
		*colour = false;
	else if (strcmp(when, "auto"))
		return false;
	return true;
}

static bool parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	return end != text && !*end && *text != '-' && !errno && *count;
}

/* 0 if the option was taken, 1 if it is another one, -1 after a message. */
static int take_option(int c, struct top *top)
{
	switch (c) {
	case 'a':
		top->all = true;
		return 0;
	case 'b':
		top->batch = true;
		return 0;
	case 'i':
		if (parse_seconds(optarg, &top->interval) &&
		    top->interval >= INTERVAL_MIN)
			return 0;
		warnx("invalid interval: '%s' (%g s or more)", optarg, INTERVAL_MIN);
		return -1;
	case 'J':
		top->json = top->batch = true;
		return 0;
	case 'n':
		if (parse_count(optarg, &top->count))
			return 0;
		warnx("invalid number of intervals: '%s'", optarg);
		return -1;
	case OPT_COLOR:
		if (parse_color(optarg, &top->colour))
			return 0;
		warnx("unsupported color mode: '%s' (auto, always, never)", optarg);
		return -1;
	}
	return 1;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "all",      no_argument,	 NULL, 'a' },
		{ "batch",    no_argument,	 NULL, 'b' },
		{ "color",    optional_argument, NULL, OPT_COLOR },
		{ "count",    required_argument, NULL, 'n' },
		{ "interval", required_argument, NULL, 'i' },
		{ "json",     no_argument,	 NULL, 'J' },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	const char *no_color = getenv("NO_COLOR");
	struct top top = {
		.interval = INTERVAL,
		.colour = isatty(STDOUT_FILENO) && !(no_color && *no_color),
		.batch = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO),
	};
	struct target t;
	int c, ret;

	while ((c = getopt_long(argc, argv, "abi:Jn:" TARGET_SHORTOPTS
				COMMON_SHORTOPTS, longopts, NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		ret = take_option(c, &top);
		if (ret < 0 || (ret && common_option(c, set)))
			return try_help("top");
	}
	if (argc - optind > (set->pid ? 0 : 1)) {
		warnx("unexpected argument: %s", argv[argc - 1]);
		return try_help("top");
	}

	ret = target_open(set, set->pid || optind == argc ? NULL : argv[optind], &t);
	if (!ret)
		ret = run_top(set, &top, &t);
	topology_free(&top.topo);
	target_close(&t);
	return ret;
}

const struct command cmd_top = {
	.name = "top",
	.args = "[<cgroup>]",
	.help = "watch on which LLCs cgroups run",
	.run = run,
};
