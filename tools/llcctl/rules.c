// SPDX-License-Identifier: GPL-2.0
/*
 * What does a rules file say, and which rule decides for a cgroup?
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "rules.h"
#include "target.h"

/* What has a meaning in a pattern. */
#define SPECIAL		"*?[\\"

#define ANY_NAMES	"**"

/* ---- patterns ---- */

/* Behind the bracket expression that begins at @p, NULL if it does not end. */
static const char *skip_bracket(const char *p)
{
	p++;
	if (*p == '!' || *p == '^')
		p++;
	if (*p == ']')
		p++;
	for (; *p && *p != ']'; p++) {
		/* "[[:digit:]]" */
		if (p[0] == '[' && p[1] == ':') {
			p = strstr(p + 2, ":]");
			if (!p)
				return NULL;
			p++;
		} else if (*p == '\\' && !*++p) {
			return NULL;
		}
	}
	return *p ? p + 1 : NULL;
}

/* What is wrong with one name of a pattern; NULL if nothing is. */
static const char *wrong_name(const char *name)
{
	const char *p = name;

	if (!strcmp(name, "..") || !strcmp(name, "."))
		return "a pattern has no '.' or '..'";
	if (!strcmp(name, ANY_NAMES))
		return NULL;
	if (strstr(name, ANY_NAMES))
		return "'**' stands alone between slashes, for any number of names";
	while (*p) {
		if (*p == '[') {
			p = skip_bracket(p);
			if (!p)
				return "a '[' has no ']' in the same name (a '[' of a name is written '\\[')";
		} else if (*p == '\\' && !p[1]) {
			return "it ends with '\\' (a '\\' of a name is written '\\\\')";
		} else {
			p += *p == '\\' ? 2 : 1;
		}
	}
	return NULL;
}

/* Cut @pattern into names; empty ones, as in "/a//b/", count for nothing. */
static void split(struct rule *r)
{
	const char *p = r->pattern;
	size_t len;

	r->names = xcalloc(strlen(p) / 2 + 2, sizeof(*r->names));
	for (; *p; p += len) {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len)
			r->names[r->nr_names++] = xasprintf("%.*s", (int)len,
							    p);
	}
	if (!r->nr_names)
		r->names[r->nr_names++] = xstrdup("");
}

/* The path that the pattern stands for, NULL if it may be several. */
static char *only_path(const struct rule *r)
{
	char *path = xcalloc(1, strlen(r->pattern) + 2), *out = path;
	const char *p;
	size_t i;

	for (i = 0; i < r->nr_names; i++) {
		if (i)
			*out++ = '/';
		for (p = r->names[i]; *p; p++) {
			if (*p != '\\' && strchr(SPECIAL, *p)) {
				free(path);
				return NULL;
			}
			if (*p == '\\')
				p++;
			*out++ = *p;
		}
	}
	return path;
}

static const char *compile_pattern(struct rule *r)
{
	const char *said;
	size_t i;

	if (!*r->pattern)
		return "the pattern is empty ('/' is the root)";
	if (strlen(r->pattern) >= PATH_MAX)
		return "the pattern is longer than any path";
	split(r);
	for (i = 0; i < r->nr_names; i++) {
		said = wrong_name(r->names[i]);
		if (said)
			return said;
	}
	if (!r->by_unit)
		r->path = only_path(r);
	else if (r->nr_names > 1 || !target_is_unit_name(r->names[0]))
		return "this is not the name of a unit: it ends with .service, .scope, .slice, .socket, .mount or .swap (a path goes behind 'cgroup:')";
	return NULL;
}

/* @len bytes at @name, which is one name of a path. */
static bool name_matches(const char *pattern, const char *name, size_t len)
{
	char text[NAME_MAX + 1];

	if (len > NAME_MAX)
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	return !fnmatch(pattern, text, 0);
}

/* Behind the name at @path and its slash. */
static const char *next_name(const char *path, size_t len)
{
	return path + len + (path[len] == '/');
}

/* As for '*' in a name: where it fails, the last "**" takes one name more. */
static bool path_matches(const struct rule *r, const char *path)
{
	const char *retry = NULL;
	size_t i = 0, after = 0, len;

	for (;;) {
		if (i < r->nr_names && !strcmp(r->names[i], ANY_NAMES)) {
			after = ++i;
			retry = path;
			continue;
		}
		if (!*path && i == r->nr_names)
			return true;
		len = strcspn(path, "/");
		if (*path && i < r->nr_names &&
		    name_matches(r->names[i], path, len)) {
			path = next_name(path, len);
			i++;
			continue;
		}
		if (!retry || !*retry)
			return false;
		retry = next_name(retry, strcspn(retry, "/"));
		path = retry;
		i = after;
	}
}

bool rule_matches(const struct rule *r, const char *path)
{
	const char *last = strrchr(path, '/');

	if (r->path)
		return !strcmp(r->path, path);
	if (!r->by_unit)
		return path_matches(r, path);
	last = last ? last + 1 : path;
	/* systemd puts '_' before what could be a file of a controller. */
	return name_matches(r->names[0], last, strlen(last)) ||
	       (*last == '_' &&
		name_matches(r->names[0], last + 1, strlen(last + 1)));
}

char *rules_pattern(const char *path)
{
	char *pattern, *out;

	if (!*path)
		return xstrdup("/");
	pattern = xcalloc(2, strlen(path) + 1);
	for (out = pattern; *path; path++) {
		if (strchr(SPECIAL, *path))
			*out++ = '\\';
		*out++ = *path;
	}
	return pattern;
}

/* ---- the file ---- */

static int parse_rule(struct document *d, yaml_node_t *node,
		      const struct topology *topo, const struct why *no_llcs,
		      struct rule *r, struct why *why)
{
	enum { CGROUP, UNIT, PREFER };
	struct field fields[] = {
		[CGROUP] = { "cgroup", YAML_SCALAR_NODE, false, NULL },
		[UNIT]	 = { "unit", YAML_SCALAR_NODE, false, NULL },
		[PREFER] = { "prefer", YAML_SCALAR_NODE, true, NULL },
	};
	const yaml_node_t *pattern;
	struct why bad;
	const char *said;
	int ret;

	ret = document_fields(d, node, "a rule", fields, ARRAY_SIZE(fields),
			      why);
	if (ret)
		return ret;
	if (!fields[CGROUP].node == !fields[UNIT].node)
		return document_error(d->name, document_line(node), -EINVAL,
				      why, "a rule has one key of 'cgroup' and 'unit'");
	r->by_unit = fields[UNIT].node;
	pattern = fields[r->by_unit ? UNIT : CGROUP].node;
	r->pattern = xstrdup(document_text(pattern));
	r->line = document_line(pattern);
	said = compile_pattern(r);
	if (said)
		return why_set(why, -EINVAL, "%s:%u: '%.200s': %s", d->name,
			       r->line, r->pattern, said);

	ret = prefer_parse(document_text(fields[PREFER].node), topo, &r->want,
			   &bad);
	if (ret)
		return document_error(d->name,
				      document_line(fields[PREFER].node), ret,
				      why, ret == -ENODEV && no_llcs ?
				      no_llcs->text : bad.text);
	return 0;
}

static int compare_paths(const void *a, const void *b, void *all)
{
	size_t ia = *(const size_t *)a, ib = *(const size_t *)b;
	const struct rule *r = all;
	int ret = strcmp(r[ia].path, r[ib].path);

	return ret ? ret : ia < ib ? -1 : 1;
}

static void index_paths(struct rules *rules)
{
	size_t i;

	rules->by_path = xcalloc(rules->nr + 1, sizeof(*rules->by_path));
	for (i = 0; i < rules->nr; i++)
		if (rules->all[i].path)
			rules->by_path[rules->nr_by_path++] = i;
	qsort_r(rules->by_path, rules->nr_by_path, sizeof(*rules->by_path),
		compare_paths, rules->all);
}

int rules_parse(const char *name, const char *text, size_t len,
		const struct topology *topo, const struct why *no_llcs,
		struct rules *rules, struct why *why)
{
	struct field top = { "rules", YAML_SEQUENCE_NODE, true, NULL };
	struct document d;
	yaml_node_t *node;
	size_t i, nr = 0;
	int ret;

	*rules = (struct rules){ 0 };
	ret = document_load(&d, name, text, len, why);
	if (ret)
		return ret;
	ret = document_fields(&d, document_root(&d), "a rules file", &top, 1,
			      why);
	if (ret)
		goto out;
	rules->name = xstrdup(name);
	while (document_item(&d, top.node, nr))
		nr++;
	rules->all = xcalloc(nr + 1, sizeof(*rules->all));
	for (i = 0; i < nr && !ret; i++) {
		node = document_item(&d, top.node, i);
		rules->nr++;
		ret = parse_rule(&d, node, topo, no_llcs, &rules->all[i], why);
	}
	if (ret)
		rules_free(rules);
	else
		index_paths(rules);
out:
	document_free(&d);
	return ret;
}

void rules_free(struct rules *rules)
{
	size_t i, j;

	for (i = 0; i < rules->nr; i++) {
		struct rule *r = &rules->all[i];

		for (j = 0; j < r->nr_names; j++)
			free(r->names[j]);
		free(r->names);
		free(r->pattern);
		free(r->path);
	}
	free(rules->all);
	free(rules->by_path);
	free(rules->name);
	*rules = (struct rules){ 0 };
}

/* The first in by_path whose path is not before @path. */
static size_t first_by_path(const struct rules *rules, const char *path)
{
	size_t low = 0, high = rules->nr_by_path, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(rules->all[rules->by_path[mid]].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct rule *rules_match(const struct rules *rules, const char *path,
			       bool *hit)
{
	const struct rule *last = NULL, *r;
	size_t i;

	for (i = 0; i < rules->nr; i++) {
		r = &rules->all[i];
		if (r->path || !rule_matches(r, path))
			continue;
		hit[i] = true;
		last = r;
	}
	/* A file made by a program may name ten thousand. */
	for (i = first_by_path(rules, path); i < rules->nr_by_path; i++) {
		r = &rules->all[rules->by_path[i]];
		if (strcmp(r->path, path))
			break;
		hit[r - rules->all] = true;
		if (!last || r > last)
			last = r;
	}
	return last;
}

int rules_put(FILE *out, char *const *paths, char *const *values, size_t nr)
{
	struct entry *rows = xcalloc(2 * nr + 1, sizeof(*rows));
	char **patterns = xcalloc(nr + 1, sizeof(*patterns));
	size_t i;
	int ret;

	for (i = 0; i < nr; i++) {
		patterns[i] = rules_pattern(paths[i]);
		rows[2 * i] = (struct entry){ "cgroup", patterns[i] };
		rows[2 * i + 1] = (struct entry){ "prefer", values[i] };
	}
	ret = document_put(out, NULL, 0, "rules", rows, nr, 2);
	for (i = 0; i < nr; i++)
		free(patterns[i]);
	free(patterns);
	free(rows);
	return ret;
}
