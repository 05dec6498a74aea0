// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroups does a person want to see?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "hierarchy.h"
#include "llcctl.h"
#include "view.h"

/* True if a cgroup above @path, which is not part of the view, decides. */
static bool decided_above(const struct cgroup_root *root, const char *path)
{
	char *up = xstrdup(path);
	struct statement by;
	bool decided = false;

	if (hierarchy_parent(up) && !hierarchy_decider(root, up, &by)) {
		decided = by.path;
		statement_free(&by);
	}
	free(up);
	return decided;
}

/*
 * Read what the cgroups state, and mark those to show: that state something
 * or inherit it, and their ancestors.
 */
static void read_preferences(const struct cgroup_root *root, struct view *v,
			     bool all)
{
	size_t i;

	for (i = 0; i < v->list.nr; i++) {
		const struct cgroup_node *node = &v->list.nodes[i];
		struct view_row *row = &v->rows[i];

		row->decided = i ? v->rows[node->parent].decided :
			       decided_above(root, node->path);
		if (!cgroup_read(root, node->path, FILE_PREFER, &row->prefer)) {
			v->nr_files++;
			if (strcmp(row->prefer, "default")) {
				row->decided = true;
				v->nr_stated++;
			}
		}
		row->decided &= row->prefer != NULL;
		row->shown = all || row->decided;
	}
	for (i = v->list.nr; i--;)
		v->rows[v->list.nodes[i].parent].shown |= v->rows[i].shown;
}

/* A count includes the children, which come after their parent. */
static void count_tasks(const struct cgroup_root *root, struct view *v)
{
	size_t i;

	for (i = v->list.nr; i--;) {
		long own = cgroup_count_tasks(root, v->list.nodes[i].path);

		if (own > 0)
			v->rows[i].tasks += own;
		if (i)
			v->rows[v->list.nodes[i].parent].tasks +=
				v->rows[i].tasks;
	}
}

int view_load(const struct cgroup_root *root, const char *path, bool all,
	      struct view *v)
{
	struct attempt try = { .path = path, .file = FILE_PREFER };

	*v = (struct view){ 0 };
	try.code = cgroup_walk(root, path, &v->list);
	if (try.code)
		return report_failure(root, &try);
	v->rows = xcalloc(v->list.nr, sizeof(*v->rows));
	read_preferences(root, v, all);
	/* The root alone: there is nothing to say, and nothing is wrong. */
	if (!v->nr_files && (*path || v->list.nr > 1))
		return report_no_file(root, &v->list,
				      v->list.nodes[*path ? 0 : 1].path);
	count_tasks(root, v);
	return EXIT_DONE;
}

void view_free(struct view *v)
{
	size_t i;

	for (i = 0; v->rows && i < v->list.nr; i++)
		free(v->rows[i].prefer);
	free(v->rows);
	cgroup_list_free(&v->list);
	*v = (struct view){ 0 };
}
